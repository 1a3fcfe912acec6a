// one element a thread
extern "C" __global__ void k(const float* a, const float* c, const float* s, float* o, long T, long H, long D) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= T * H * 2 * D) return;
    const long d = i % (2 * D), t = i / (2 * D * H), at = t * D + d % D;
    o[i] = d < D ? a[i] * c[at] - a[i + D] * s[at] : a[i] * c[at] + a[i - D] * s[at];
}
