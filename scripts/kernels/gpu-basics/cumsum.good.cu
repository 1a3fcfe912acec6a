// A block of up to 256 threads a row: of 4096 columns at once, four panels of four columns a thread stay in registers. Threads, warps and panels
// are scanned one after the other, with one barrier.
constexpr int panels = 4;

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

// of the lanes up to this one
static __device__ float scan(float x) {
    const int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        const float below = __shfl_up_sync(~0u, x, d);
        if (lane >= d) x += below;
    }
    return x;
}

// The running sum of one panel set of a row, behind `carry`; returns the carry of the next.
static __device__ float scan_panels(const float* from, float* to, long begin, long C, float carry, float* totals) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    float4 v[panels];
    float before[panels];  // of what precedes this thread within its warp
    for (int j = 0; j < panels; ++j) {
        v[j] = load(from, begin + 4L * (j * blockDim.x + threadIdx.x), C, 0);
        v[j].y += v[j].x, v[j].z += v[j].y, v[j].w += v[j].z;
    }
    for (int j = 0; j < panels; ++j) {
        const float up_to = scan(v[j].w), below = __shfl_up_sync(~0u, up_to, 1);
        before[j] = lane > 0 ? below : 0;
        if (lane == 31) totals[j * warps + warp] = up_to;
    }
    __syncthreads();
    const float all = scan(lane < panels * warps ? totals[lane] : 0);
    for (int j = 0; j < panels; ++j) {
        const int at = j * warps + warp;
        const float earlier = __shfl_sync(~0u, all, at > 0 ? at - 1 : 0), s = carry + before[j] + (at > 0 ? earlier : 0);
        store(to, begin + 4L * (j * blockDim.x + threadIdx.x), C, make_float4(v[j].x + s, v[j].y + s, v[j].z + s, v[j].w + s));
    }
    return carry + __shfl_sync(~0u, all, panels * warps - 1);
}

extern "C" __global__ void k(const float* __restrict__ a, float* __restrict__ o, long R, long C) {
    __shared__ float totals[32];  // of warp w in panel j at j * warps + w
    const long r = blockIdx.x, width = 4L * panels * blockDim.x;
    float carry = scan_panels(a + r * C, o + r * C, 0, C, 0, totals);
    for (long begin = width; begin < C; begin += width) {
        __syncthreads();  // before the totals are written again
        carry = scan_panels(a + r * C, o + r * C, begin, C, carry, totals);
    }
}
