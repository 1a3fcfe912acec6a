// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* w, float* o, long K, long H, long W, long M) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= M * H * W) return;
    const long m = i / (H * W), n = i % (H * W);
    float sum = 0;
    for (long x = 0; x < K; ++x) sum += w[m * K + x] * a[x * H * W + n];
    o[i] = sum;
}
