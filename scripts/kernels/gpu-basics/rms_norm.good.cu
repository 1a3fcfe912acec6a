// A block a row, which stays in registers: one pass over memory. Rows of up to 16384.
constexpr int per = 4;  // times four columns a thread

// columns c to c+3 of a row: at once where all rows are aligned; beyond the row a pad
static __device__ float4 load(const float* row, long c, long C, float pad) {
    if (C % 4 == 0) return c < C ? *(const float4*)(row + c) : make_float4(pad, pad, pad, pad);
    return make_float4(c < C ? row[c] : pad, c + 1 < C ? row[c + 1] : pad, c + 2 < C ? row[c + 2] : pad, c + 3 < C ? row[c + 3] : pad);
}

static __device__ void store(float* row, long c, long C, float4 v) {
    if (C % 4 == 0) {
        if (c < C) *(float4*)(row + c) = v;
        return;
    }
    if (c < C) row[c] = v.x;
    if (c + 1 < C) row[c + 1] = v.y;
    if (c + 2 < C) row[c + 2] = v.z;
    if (c + 3 < C) row[c + 3] = v.w;
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

static __device__ float squares(float4 v) { return (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w); }

extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ w, float* __restrict__ o, long R, long C) {
    const long r = blockIdx.x;
    float4 v[per];
    float sum = 0;
    for (int j = 0; j < per; ++j) {
        const long c = 4L * (j * blockDim.x + threadIdx.x);
        v[j] = load(a + r * C, c, C, 0);
        sum += squares(v[j]);
    }
    const float s = rsqrtf(block_sum(sum) / C + 1e-5f);
    for (int j = 0; j < per; ++j) {
        const long c = 4L * (j * blockDim.x + threadIdx.x);
        const float4 g = load(w, c, C, 0);
        store(o + r * C, c, C, make_float4(v[j].x * s * g.x, v[j].y * s * g.y, v[j].z * s * g.z, v[j].w * s * g.w));
    }
}
