// A launch a step, one state a thread.
__device__ float sigmoid(float x) { return 1 / (1 + expf(-x)); }

extern "C" __global__ void step(const float* x, const float* h, const float* wi, const float* wh, const float* bi, const float* bh,
                                float* o, long t, long B, long H) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= B * H) return;
    const long b = i / H, u = i % H;
    const float *at = x + (t * B + b) * H, *before = (t ? o + (t - 1) * B * H : h) + b * H;
    float p0 = bi[0 * H + u], q0 = bh[0 * H + u], p1 = bi[1 * H + u], q1 = bh[1 * H + u], p2 = bi[2 * H + u], q2 = bh[2 * H + u];
    for (long x = 0; x < H; ++x) {
        p0 += wi[(0 * H + u) * H + x] * at[x], q0 += wh[(0 * H + u) * H + x] * before[x];
        p1 += wi[(1 * H + u) * H + x] * at[x], q1 += wh[(1 * H + u) * H + x] * before[x];
        p2 += wi[(2 * H + u) * H + x] * at[x], q2 += wh[(2 * H + u) * H + x] * before[x];
    }
    const float r = sigmoid(p0 + q0), z = sigmoid(p1 + q1), n = tanhf(p2 + r * q2);
    o[t * B * H + i] = (1 - z) * n + z * before[u];
}
