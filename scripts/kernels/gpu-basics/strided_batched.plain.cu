// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* b, float* o, long B, long M, long K, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= B * M * N) return;
    const long m = i / N, n = i % N;  // m counts the rows of all products
    float sum = 0;
    for (long x = 0; x < K; ++x) sum += a[m * K + x] * b[(m / M * N + n) * K + x];
    o[i] = sum;
}
