// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* w, const float* c, float* o, long M, long K, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= M * N) return;
    const long m = i / N, n = i % N;
    float sum = c[n];
    for (long x = 0; x < K; ++x) sum += a[m * K + x] * w[n * K + x];
    o[i] = 2 * sum / (1 + expf(-sum));
}
