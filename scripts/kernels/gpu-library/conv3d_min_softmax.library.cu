constexpr int M = 16;

// One pixel of all channels a thread: neighbouring threads read neighbouring pixels.
extern "C" __global__ void least_softmax(const float* t, const float* c, float* o, long B, long D, long plane) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= B * plane) return;
    const long b = i / plane, pixel = i % plane;
    float least[M], most = -INFINITY, sum = 0;
#pragma unroll
    for (int m = 0; m < M; ++m) {
        const float* at = t + ((b * M + m) * D) * plane + pixel;
        float x = at[0];
        for (long d = 1; d < D; ++d) x = fminf(x, at[d * plane]);
        least[m] = x + c[m];
        most = fmaxf(most, least[m]);
    }
#pragma unroll
    for (int m = 0; m < M; ++m) sum += least[m] = expf(least[m] - most);
#pragma unroll
    for (int m = 0; m < M; ++m) o[(b * M + m) * plane + pixel] = least[m] / sum;
}
