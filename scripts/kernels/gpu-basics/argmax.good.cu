// A block a row: loads of 16 bytes, several in flight; pairs of value and place are reduced by shuffles.
struct Best {
    float value;
    int at;
};

static __device__ Best better(Best a, Best b) { return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a; }

static __device__ Best warp_best(Best x) {
    for (int d = 16; d > 0; d /= 2) x = better(x, Best{__shfl_xor_sync(~0u, x.value, d), __shfl_xor_sync(~0u, x.at, d)});
    return x;
}

// columns c to c+3 of a row: at once where all rows are aligned; beyond the row a pad
static __device__ float4 load(const float* row, long c, long C, float pad) {
    if (C % 4 == 0) return c < C ? *(const float4*)(row + c) : make_float4(pad, pad, pad, pad);
    return make_float4(c < C ? row[c] : pad, c + 1 < C ? row[c + 1] : pad, c + 2 < C ? row[c + 2] : pad, c + 3 < C ? row[c + 3] : pad);
}

extern "C" __global__ void k(const float* __restrict__ a, long long* __restrict__ o, long R, long C) {
    __shared__ Best warps[32];
    const long r = blockIdx.x;
    const float lowest = __int_as_float(0xff800000);
    const Best none{lowest, 0x7fffffff};
    Best best = none;
#pragma unroll 4
    for (long c = 4L * threadIdx.x; c < C; c += 4L * blockDim.x) {
        const float4 v = load(a + r * C, c, C, lowest);
        const int at = (int)c;
        best = better(best, better(better(Best{v.x, at}, Best{v.y, at + 1}), better(Best{v.z, at + 2}, Best{v.w, at + 3})));
    }
    best = warp_best(best);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = best;
    __syncthreads();
    best = warp_best(threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : none);
    if (threadIdx.x == 0) o[r] = best.at;
}
