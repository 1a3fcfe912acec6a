#include <cuda_fp16.h>

__device__ float gelu(float x) { return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }

// Eight elements a thread.
extern "C" __global__ void gelu(uint4* o, long n) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 words = o[i];
    __half2* const pairs = reinterpret_cast<__half2*>(&words);
    for (int k = 0; k < 4; ++k) {
        const float2 x = __half22float2(pairs[k]);
        pairs[k] = __floats2half2_rn(gelu(x.x), gelu(x.y));
    }
    o[i] = words;
}
