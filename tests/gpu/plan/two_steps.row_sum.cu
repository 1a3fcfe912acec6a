// Sums of pieces of rows, then the sum of those: two kernels and a workspace.
extern "C" __global__ void pieces(const float* a, float* partial, long C, int parts) {
    const long row = blockIdx.y, per = (C + parts - 1) / parts, begin = blockIdx.x * per, end = begin + per < C ? begin + per : C;
    float sum = 0;
    for (long c = begin + threadIdx.x; c < end; c += 32) sum += a[row * C + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0) partial[row * parts + blockIdx.x] = sum;
}

extern "C" __global__ void rows(const float* partial, float* o, long R, int parts) {
    const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (row >= R) return;
    float sum = 0;
    for (int p = 0; p < parts; ++p) sum += partial[row * parts + p];
    o[row] = sum;
}
