// A block a row: loads of 16 bytes, several in flight, sums by shuffles.
static __device__ float lowest() { return __int_as_float(0xff800000); }

// the larger one; NaN if either is
static __device__ float larger(float a, float b) { return b > a || b != b ? b : a; }

static __device__ float warp_max(float x) {
    for (int d = 16; d > 0; d /= 2) x = larger(x, __shfl_xor_sync(~0u, x, d));
    return x;
}

static __device__ float block_max(float x) {
    __shared__ float warps[32];
    x = warp_max(x);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
    __syncthreads();
    return warp_max(threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : lowest());
}

// columns c to c+3 of a row: at once where all rows are aligned; beyond the row a pad
static __device__ float4 load(const float* row, long c, long C, float pad) {
    if (C % 4 == 0) return c < C ? *(const float4*)(row + c) : make_float4(pad, pad, pad, pad);
    return make_float4(c < C ? row[c] : pad, c + 1 < C ? row[c + 1] : pad, c + 2 < C ? row[c + 2] : pad, c + 3 < C ? row[c + 3] : pad);
}

extern "C" __global__ void k(const float* __restrict__ a, float* __restrict__ o, long R, long C) {
    const long r = blockIdx.x;
    float most = lowest();
#pragma unroll 4
    for (long c = 4L * threadIdx.x; c < C; c += 4L * blockDim.x) {
        const float4 v = load(a + r * C, c, C, lowest());
        most = larger(larger(most, larger(v.x, v.y)), larger(v.z, v.w));
    }
    most = block_max(most);
    if (threadIdx.x == 0) o[r] = most;
}
