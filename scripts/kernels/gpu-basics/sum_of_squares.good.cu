// A block a row: loads of 16 bytes, several in flight, sums by shuffles.
// columns c to c+3 of a row: at once where all rows are aligned; beyond the row a pad
static __device__ float4 load(const float* row, long c, long C, float pad) {
    if (C % 4 == 0) return c < C ? *(const float4*)(row + c) : make_float4(pad, pad, pad, pad);
    return make_float4(c < C ? row[c] : pad, c + 1 < C ? row[c + 1] : pad, c + 2 < C ? row[c + 2] : pad, c + 3 < C ? row[c + 3] : pad);
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

extern "C" __global__ void k(const float* __restrict__ a, float* __restrict__ o, long R, long C) {
    const long r = blockIdx.x;
    float sum = 0;
#pragma unroll 4
    for (long c = 4L * threadIdx.x; c < C; c += 4L * blockDim.x) {
        const float4 v = load(a + r * C, c, C, 0);
        sum += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) o[r] = sum;
}
