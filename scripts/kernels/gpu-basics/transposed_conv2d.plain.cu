// The definition, one element a thread.
extern "C" __global__ void k(const float* a, const float* w, float* o, long K, long H, long W, long M) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= M * 4 * H * W) return;
    const long m = i / (4 * H * W), y = i / (2 * W) % (2 * H), x = i % (2 * W);
    float sum = 0;
    for (long k = 0; k < K; ++k)
        for (long u = (y + 1) % 2; u < 4; u += 2)
            for (long v = (x + 1) % 2; v < 4; v += 2) {
                const long r = (y + 1 - u) / 2, c = (x + 1 - v) / 2;
                if (y + 1 >= u && r < H && x + 1 >= v && c < W) sum += a[(k * H + r) * W + c] * w[((k * M + m) * 4 + u) * 4 + v];
            }
    o[i] = sum;
}
