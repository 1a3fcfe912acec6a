// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* b, float* o, long R, long C) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= R) return;
    float sum = 0;
    for (long c = 0; c < C; ++c) sum += a[i * C + c] * b[c];
    o[i] = sum;
}
