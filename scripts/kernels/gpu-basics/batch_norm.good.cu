// Two kernels with one block for each channel of a sample: sums and squares of its places, then their total over the samples and the output. The
// second goes from the end to the beginning, since what was read last is still in the L2. All is summed in double, so that the mean's square may be
// subtracted however far from zero the values lie.
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

static __device__ double2 block_sum(double2 x) {
    __shared__ double2 warps[32];
    for (int d = 16; d > 0; d /= 2) x.x += __shfl_xor_sync(~0u, x.x, d), x.y += __shfl_xor_sync(~0u, x.y, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = make_double2(0, 0);
    for (int n = 0; n < blockDim.x / 32; ++n) x.x += warps[n].x, x.y += warps[n].y;
    return x;
}

extern "C" __global__ void part(const float* __restrict__ a, double2* __restrict__ partial, long C, long S) {
    const float* row = a + (blockIdx.y * C + blockIdx.x) * S;
    double2 all = make_double2(0, 0);
#pragma unroll 4
    for (long s = 4L * threadIdx.x; s < S; s += 4L * blockDim.x) {
        const float4 v = load(row, s, S, 0);
        const double x = v.x, y = v.y, z = v.z, w = v.w;
        all.x += (x + y) + (z + w);
        all.y += (x * x + y * y) + (z * z + w * w);
    }
    all = block_sum(all);
    if (threadIdx.x == 0) partial[blockIdx.x * gridDim.y + blockIdx.y] = all;
}

extern "C" __global__ void apply(const float* __restrict__ a, const float* __restrict__ w, const float* __restrict__ b,
                                 const double2* __restrict__ partial, float* __restrict__ o, long B, long C, long S) {
    const long c = C - 1 - blockIdx.x, n = B - 1 - blockIdx.y, at = (n * C + c) * S;
    double2 all = make_double2(0, 0);
    for (long i = threadIdx.x; i < B; i += blockDim.x) all.x += partial[c * B + i].x, all.y += partial[c * B + i].y;
    all = block_sum(all);
    const double mean = all.x / (B * S), variance = all.y / (B * S) - mean * mean;
    const float m = (float)mean, f = rsqrtf((variance < 0 ? 0 : (float)variance) + 1e-5f) * w[c], shift = b[c];
#pragma unroll 4
    for (long s = 4L * threadIdx.x; s < S; s += 4L * blockDim.x) {
        const float4 v = load(a + at, s, S, 0);
        store(o + at, s, S, make_float4((v.x - m) * f + shift, (v.y - m) * f + shift, (v.z - m) * f + shift, (v.w - m) * f + shift));
    }
}
