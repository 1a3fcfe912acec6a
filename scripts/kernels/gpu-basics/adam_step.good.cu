// four parameters a thread, each tensor touched once; the last N % 4 one by one
static __device__ void step(float a, float g, float m, float v, float& p, float& q, float& w) {
    q = 0.9f * m + 0.1f * g;
    w = 0.999f * v + 0.001f * g * g;
    p = a - 0.1f * q / (sqrtf(w) + 1e-8f);
}

extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ g, const float* __restrict__ m, const float* __restrict__ v,
                             float* __restrict__ p, float* __restrict__ q, float* __restrict__ w, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x, whole = N / 4, j = 4 * whole + i;
    if (i < whole) {
        const float4 A = ((const float4*)a)[i], G = ((const float4*)g)[i], M = ((const float4*)m)[i], V = ((const float4*)v)[i];
        float4 P, Q, W;
        step(A.x, G.x, M.x, V.x, P.x, Q.x, W.x);
        step(A.y, G.y, M.y, V.y, P.y, Q.y, W.y);
        step(A.z, G.z, M.z, V.z, P.z, Q.z, W.z);
        step(A.w, G.w, M.w, V.w, P.w, Q.w, W.w);
        ((float4*)p)[i] = P;
        ((float4*)q)[i] = Q;
        ((float4*)w)[i] = W;
    }
    if (j < N) step(a[j], g[j], m[j], v[j], p[j], q[j], w[j]);
}
