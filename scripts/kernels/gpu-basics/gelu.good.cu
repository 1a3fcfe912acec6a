// Eight elements a thread, two loads of 16 bytes in flight. 0.5*(1+tanh(u)) is sigmoid(2u): one exp and one division.
static __device__ float gelu(float t) { return t / (1 + expf(-1.5957691216f * (t + 0.044715f * t * t * t))); }
static __device__ float4 gelu(float4 t) { return make_float4(gelu(t.x), gelu(t.y), gelu(t.z), gelu(t.w)); }

extern "C" __global__ void k(const float* __restrict__ a, float* __restrict__ o, long N) {
    const long i = blockIdx.x * 2L * blockDim.x + threadIdx.x, next = i + blockDim.x, whole = N / 4, last = 4 * whole + i;
    const float4 none = make_float4(0, 0, 0, 0);
    const float4 p = i < whole ? ((const float4*)a)[i] : none, q = next < whole ? ((const float4*)a)[next] : none;
    if (i < whole) ((float4*)o)[i] = gelu(p);
    if (next < whole) ((float4*)o)[next] = gelu(q);
    if (last < N) o[last] = gelu(a[last]);
}
