// A block a row, which stays in registers: one pass over memory. Rows of up to 16384.
#include <cuda_fp16.h>

constexpr int per = 2;  // times eight columns a thread

struct alignas(16) Eight { __half at[8]; };

// columns c to c+7 of a row: at once where all rows are aligned; beyond the row a pad
static __device__ Eight load(const __half* row, long c, long C, __half pad) {
    if (C % 8 == 0 && c < C) return *(const Eight*)(row + c);
    Eight v;
    for (int n = 0; n < 8; ++n) v.at[n] = c + n < C ? row[c + n] : pad;
    return v;
}

static __device__ void store(__half* row, long c, long C, Eight v) {
    if (C % 8 == 0 && c < C) *(Eight*)(row + c) = v;
    else
        for (int n = 0; n < 8; ++n)
            if (c + n < C) row[c + n] = v.at[n];
}

static __device__ float warp_sum(float x) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}

// of a block of whole warps
static __device__ float block_sum(float x) {
    __shared__ float warps[32];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : 0);
    __syncthreads();  // before the next sum is written
    return x;
}

static __device__ float lowest() { return __int_as_float(0xff800000); }

static __device__ float warp_max(float x) {
    for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, d));
    return x;
}

static __device__ float block_max(float x) {
    __shared__ float warps[32];
    x = warp_max(x);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
    __syncthreads();
    return warp_max(threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : lowest());
}

extern "C" __global__ void k(const __half* __restrict__ a, __half* __restrict__ o, long R, long C) {
    const long r = blockIdx.x;
    float v[per][8], m = lowest(), sum = 0;
    for (int j = 0; j < per; ++j) {
        const Eight x = load(a + r * C, 8L * (j * blockDim.x + threadIdx.x), C, __float2half(lowest()));
        for (int n = 0; n < 8; ++n) m = fmaxf(m, v[j][n] = __half2float(x.at[n]));
    }
    m = block_max(m);
    for (int j = 0; j < per; ++j)
        for (int n = 0; n < 8; ++n) sum += v[j][n] = expf(v[j][n] - m);
    const float s = 1 / block_sum(sum);
    for (int j = 0; j < per; ++j) {
        Eight x;
        for (int n = 0; n < 8; ++n) x.at[n] = __float2half(v[j][n] * s);
        store(o + r * C, 8L * (j * blockDim.x + threadIdx.x), C, x);
    }
}
