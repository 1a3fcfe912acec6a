// one element a thread
extern "C" __global__ void k(const float* a, float* o, long B, long S, long H, long D) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= B * S * H * D) return;
    const long d = i % D, s = i / D % S, h = i / (D * S) % H, b = i / (D * S * H);
    o[i] = a[((b * S + s) * H + h) * D + d];
}
