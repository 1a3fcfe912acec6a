// A block a row, which stays in registers: one pass over memory. Rows of up to 16384.
#include <cuda_bf16.h>

constexpr int per = 2;  // times eight columns a thread

struct alignas(16) Eight { __nv_bfloat16 at[8]; };

// columns c to c+7 of a row: at once where all rows are aligned; beyond the row a pad
static __device__ Eight load(const __nv_bfloat16* row, long c, long C, __nv_bfloat16 pad) {
    if (C % 8 == 0 && c < C) return *(const Eight*)(row + c);
    Eight v;
    for (int n = 0; n < 8; ++n) v.at[n] = c + n < C ? row[c + n] : pad;
    return v;
}

static __device__ void store(__nv_bfloat16* row, long c, long C, Eight v) {
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

extern "C" __global__ void k(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ w, __nv_bfloat16* __restrict__ o, long R,
                             long C) {
    const long r = blockIdx.x;
    const __nv_bfloat16 zero = __float2bfloat16(0);
    Eight v[per];
    float sum = 0;
    for (int j = 0; j < per; ++j) {
        v[j] = load(a + r * C, 8L * (j * blockDim.x + threadIdx.x), C, zero);
        for (int n = 0; n < 8; ++n) sum += __bfloat162float(v[j].at[n]) * __bfloat162float(v[j].at[n]);
    }
    const float s = rsqrtf(block_sum(sum) / C + 1e-5f);
    for (int j = 0; j < per; ++j) {
        const long c = 8L * (j * blockDim.x + threadIdx.x);
        const Eight g = load(w, c, C, zero);
        for (int n = 0; n < 8; ++n) v[j].at[n] = __float2bfloat16(__bfloat162float(v[j].at[n]) * s * __bfloat162float(g.at[n]));
        store(o + r * C, c, C, v[j]);
    }
}
