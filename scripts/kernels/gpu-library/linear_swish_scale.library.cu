__device__ float swish(float x) { return __fdividef(2 * x, 1 + __expf(-x)); }

extern "C" __global__ void swish(float4* o, long n) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 x = o[i];
    o[i] = make_float4(swish(x.x), swish(x.y), swish(x.z), swish(x.w));
}
