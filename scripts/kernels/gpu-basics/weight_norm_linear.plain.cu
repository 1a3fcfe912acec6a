// The definition, one element a thread: the norm of its row of weights with every element.
extern "C" __global__ void k(const float* a, const float* v, const float* g, const float* c, float* o, long M, long K, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= M * N) return;
    const long m = i / N, n = i % N;
    float sum = 0, squares = 0;
    for (long x = 0; x < K; ++x) {
        sum += a[m * K + x] * v[n * K + x];
        squares += v[n * K + x] * v[n * K + x];
    }
    o[i] = c[n] + g[n] * (sum / sqrtf(squares));
}
