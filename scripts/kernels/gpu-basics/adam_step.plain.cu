// one parameter a thread
extern "C" __global__ void k(const float* a, const float* g, const float* m, const float* v, float* p, float* q, float* w, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= N) return;
    q[i] = 0.9f * m[i] + 0.1f * g[i];
    w[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
    p[i] = a[i] - 0.1f * q[i] / (sqrtf(w[i]) + 1e-8f);
}
