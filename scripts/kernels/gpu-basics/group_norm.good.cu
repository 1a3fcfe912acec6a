// A block a group, which stays in registers: one pass over memory. Groups of more than 16384 elements are read three times. 8 S is always a whole
// number of float4.
constexpr int per = 4;  // times four elements a thread

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

static __device__ float total(float4 v) { return (v.x + v.y) + (v.z + v.w); }
static __device__ float squares(float4 v) { return (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w); }

extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ o, long B,
                             long G, long S) {
    const int n = 8 * (int)S, places = (int)S;
    const long g = blockIdx.x, c0 = g % G * 8;
    float4 v[per];
    float sum = 0, sum2 = 0;
    for (int j = 0; j < per; ++j) {
        const int i = 4 * (j * blockDim.x + threadIdx.x);
        v[j] = i < n ? *(const float4*)(a + g * n + i) : make_float4(0, 0, 0, 0);
        sum += total(v[j]);
    }
    const float m = block_sum(sum) / n;
    for (int j = 0; j < per; ++j) {
        if (4 * (j * blockDim.x + threadIdx.x) >= n) break;
        v[j] = make_float4(v[j].x - m, v[j].y - m, v[j].z - m, v[j].w - m);
        sum2 += squares(v[j]);
    }
    const float s = rsqrtf(block_sum(sum2) / n + 1e-5f);
    const auto scaled = [&](float x, int i) {  // four elements may belong to several channels
        const long c = c0 + i / places;
        return x * s * w[c] + b[c];
    };
    for (int j = 0; j < per; ++j) {
        const int i = 4 * (j * blockDim.x + threadIdx.x);
        if (i >= n) break;
        *(float4*)(o + g * n + i) = make_float4(scaled(v[j].x, i), scaled(v[j].y, i + 1), scaled(v[j].z, i + 2), scaled(v[j].w, i + 3));
    }
}

extern "C" __global__ void long_groups(const float* __restrict__ a, const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ o,
                                       long B, long G, long S) {
    const long n = 8 * S, g = blockIdx.x, c0 = g % G * 8;
    float sum = 0, sum2 = 0;
    for (long i = 4L * threadIdx.x; i < n; i += 4L * blockDim.x) sum += total(*(const float4*)(a + g * n + i));
    const float m = block_sum(sum) / n;
    for (long i = 4L * threadIdx.x; i < n; i += 4L * blockDim.x) {
        const float4 v = *(const float4*)(a + g * n + i);
        sum2 += squares(make_float4(v.x - m, v.y - m, v.z - m, v.w - m));
    }
    const float s = rsqrtf(block_sum(sum2) / n + 1e-5f);
    for (long i = threadIdx.x; i < n; i += blockDim.x) {
        const long c = c0 + i / S;
        o[g * n + i] = (a[g * n + i] - m) * s * w[c] + b[c];
    }
}
