extern "C" __global__ void k(const float* a, const float* b, float* o, long M, long K, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x, m = i / N, n = i % N;
    if (m >= M) return;
    float sum = 0;
    for (long k = 0; k < K; ++k) sum += a[m * K + k] * b[k * N + n];
    o[i] = sum;
}
