#include <cuda_fp16.h>

extern "C" __global__ void narrow(__half* to, const float* from, long n) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) to[i] = __float2half(from[i]);
}

extern "C" __global__ void widen(float* to, const __half* from, long n) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) to[i] = __half2float(from[i]);
}
