// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* w, float* o, long C, long H, long W) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= C * H * W) return;
    const long c = i / (H * W), y = i / W % H, x = i % W;
    float sum = 0;
    for (long u = 0; u < 3; ++u)
        for (long v = 0; v < 3; ++v) sum += a[(c * (H + 2) + y + u) * (W + 2) + x + v] * w[c * 9 + u * 3 + v];
    o[i] = sum;
}
