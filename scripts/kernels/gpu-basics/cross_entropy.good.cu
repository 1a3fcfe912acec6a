// A block a row, which stays in registers: one pass over memory. Rows of up to 16384.
constexpr int per = 4;  // times four columns a thread

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

extern "C" __global__ void k(const float* __restrict__ a, const long long* __restrict__ b, float* __restrict__ o, long R, long C) {
    const long r = blockIdx.x;
    const float hit = threadIdx.x == 0 ? a[r * C + b[r]] : 0;  // asked for before the row, so that its latency hides
    float4 v[per];
    float m = lowest(), sum = 0;
    for (int j = 0; j < per; ++j) {
        v[j] = load(a + r * C, 4L * (j * blockDim.x + threadIdx.x), C, lowest());
        m = fmaxf(fmaxf(m, fmaxf(v[j].x, v[j].y)), fmaxf(v[j].z, v[j].w));
    }
    m = block_max(m);
    for (int j = 0; j < per; ++j) sum += (expf(v[j].x - m) + expf(v[j].y - m)) + (expf(v[j].z - m) + expf(v[j].w - m));
    sum = block_sum(sum);
    if (threadIdx.x == 0) o[r] = logf(sum) + m - hit;
}
