// a block a row at a time, its threads side by side; every quantity is a pass over the row
#include <cuda_bf16.h>

static __device__ float block_sum(float x) {
    __shared__ float part[256];
    __syncthreads();  // the last result has been read
    part[threadIdx.x] = x;
    for (int n = 128; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + n];
    }
    __syncthreads();
    return part[0];
}

extern "C" __global__ void k(const __nv_bfloat16* a, const __nv_bfloat16* w, __nv_bfloat16* o, long R, long C) {
    for (long r = blockIdx.x; r < R; r += gridDim.x) {
        float squares = 0;
        for (long c = threadIdx.x; c < C; c += 256) {
            const float x = __bfloat162float(a[r * C + c]);
            squares += x * x;
        }
        const float s = rsqrtf(block_sum(squares) / C + 1e-5f);
        for (long c = threadIdx.x; c < C; c += 256) o[r * C + c] = __float2bfloat16(__bfloat162float(a[r * C + c]) * s * __bfloat162float(w[c]));
    }
}
