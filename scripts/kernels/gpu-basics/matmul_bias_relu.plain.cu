// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* b, const float* c, float* o, long M, long K, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= M * N) return;
    const long m = i / N, n = i % N;
    float sum = 0;
    for (long x = 0; x < K; ++x) sum += a[m * K + x] * b[x * N + n];
    o[i] = sum + c[n] < 0 ? 0 : sum + c[n];
}
