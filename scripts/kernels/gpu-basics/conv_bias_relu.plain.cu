// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* w, const float* c, float* o, long B, long K, long H, long W, long M) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= B * M * H * W) return;
    const long b = i / (M * H * W), m = i / (H * W) % M, y = i / W % H, x = i % W;
    float sum = 0;
    for (long k = 0; k < K; ++k)
        for (long u = 0; u < 3; ++u)
            for (long v = 0; v < 3; ++v) sum += a[((b * K + k) * (H + 2) + y + u) * (W + 2) + x + v] * w[(m * K + k) * 9 + u * 3 + v];
    o[i] = sum + c[m] < 0 ? 0 : sum + c[m];
}
