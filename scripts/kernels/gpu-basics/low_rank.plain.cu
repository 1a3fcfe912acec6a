// One product after the other, one element a thread; a u waits in memory.
extern "C" __global__ void first(const float* a, const float* u, float* t, long M, long K) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= M * 64) return;
    float sum = 0;
    for (long x = 0; x < K; ++x) sum += a[i / 64 * K + x] * u[x * 64 + i % 64];
    t[i] = sum;
}

extern "C" __global__ void second(const float* t, const float* v, float* o, long M, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= M * N) return;
    float sum = 0;
    for (long x = 0; x < 64; ++x) sum += t[i / N * 64 + x] * v[x * N + i % N];
    o[i] = sum;
}
