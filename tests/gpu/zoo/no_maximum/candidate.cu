extern "C" __global__ void k(const float* a, float* o, long R, long C) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x, r = i / C;
    if (r >= R) return;
    float sum = 0;
    for (long c = 0; c < C; ++c) sum += expf(a[r * C + c]);
    o[i] = expf(a[i]) / sum;
}
