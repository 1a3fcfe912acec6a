// Two steps: a sum for each block of a grid that fills the device, then the sum of those by one block.
static __device__ float loss(float a, float b) {
    const float d = a - b;
    return d * d;
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

extern "C" __global__ void part(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ partial, long N) {
    const long first = blockIdx.x * (long)blockDim.x + threadIdx.x, step = (long)gridDim.x * blockDim.x, whole = N / 4;
    float sum = 0;
#pragma unroll 4
    for (long i = first; i < whole; i += step) {
        const float4 x = ((const float4*)a)[i], y = ((const float4*)b)[i];
        sum += (loss(x.x, y.x) + loss(x.y, y.y)) + (loss(x.z, y.z) + loss(x.w, y.w));
    }
    if (first < N % 4) sum += loss(a[4 * whole + first], b[4 * whole + first]);
    sum = block_sum(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void mean(const float* __restrict__ partial, float* __restrict__ o, long parts, long N) {
    float sum = 0;
    for (long i = threadIdx.x; i < parts; i += blockDim.x) sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *o = sum / N;
}
