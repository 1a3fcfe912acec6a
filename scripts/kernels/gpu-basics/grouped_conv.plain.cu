// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* w, float* o, long G, long H, long W) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= 16 * G * H * W) return;
    const long m = i / (H * W), y = i / W % H, x = i % W;
    float sum = 0;
    for (long k = 0; k < 16; ++k)
        for (long u = 0; u < 3; ++u)
            for (long v = 0; v < 3; ++v)
                sum += a[((m / 16 * 16 + k) * (H + 2) + y + u) * (W + 2) + x + v] * w[(m * 16 + k) * 9 + u * 3 + v];
    o[i] = sum;
}
