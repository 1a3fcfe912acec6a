// First the minimum of the convolution over depth, one element a thread, then the softmax, one pixel a thread.
extern "C" __global__ void least(const float* a, const float* w, const float* c, float* o, long B, long D, long H, long W) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= B * 16 * H * W) return;
    const long b = i / (16 * H * W), m = i / (H * W) % 16, y = i / W % H, x = i % W;
    float least = 0;
    for (long d = 0; d < D; ++d) {
        float sum = c[m];
        for (long k = 0; k < 3; ++k)
            for (long t = 0; t < 27; ++t)
                sum += a[(((b * 3 + k) * (D + 2) + d + t / 9) * (H + 2) + y + t / 3 % 3) * (W + 2) + x + t % 3] * w[(m * 3 + k) * 27 + t];
        least = d == 0 ? sum : fminf(least, sum);
    }
    o[i] = least;
}

extern "C" __global__ void softmax(float* o, long B, long H, long W) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= B * H * W) return;
    float* at = o + i / (H * W) * 16 * H * W + i % (H * W);
    float most = at[0], sum = 0;
    for (long m = 1; m < 16; ++m) most = fmaxf(most, at[m * H * W]);
    for (long m = 0; m < 16; ++m) sum += expf(at[m * H * W] - most);
    for (long m = 0; m < 16; ++m) at[m * H * W] = expf(at[m * H * W] - most) / sum;
}
