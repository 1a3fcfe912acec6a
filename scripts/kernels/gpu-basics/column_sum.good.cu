// Two steps: sums of `rows` rows by blocks of 32 x 8 threads, four columns a thread; then the sums of those, by 8 threads a column.
// columns c to c+3 of a row: at once where all rows are aligned; beyond the row a 0
static __device__ float4 load(const float* row, long c, long C) {
    if (C % 4 == 0) return c < C ? *(const float4*)(row + c) : make_float4(0, 0, 0, 0);
    return make_float4(c < C ? row[c] : 0, c + 1 < C ? row[c + 1] : 0, c + 2 < C ? row[c + 2] : 0, c + 3 < C ? row[c + 3] : 0);
}

extern "C" __global__ void part(const float* __restrict__ a, float* __restrict__ partial, long R, long C, long rows) {
    __shared__ float4 sums[8][32];
    const long c = 4L * (blockIdx.x * 32 + threadIdx.x), first = blockIdx.y * rows, end = min(first + rows, R);
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
    for (long r = first + threadIdx.y; r < end; r += 8) {
        const float4 v = load(a + r * C, c, C);
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    const int column = threadIdx.y * 32 + threadIdx.x;
    if (column >= 128 || blockIdx.x * 128L + column >= C) return;
    float all = 0;
    for (int y = 0; y < 8; ++y) all += ((const float*)sums[y])[column];
    partial[blockIdx.y * C + blockIdx.x * 128L + column] = all;
}

extern "C" __global__ void whole(const float* __restrict__ partial, float* __restrict__ o, long C, long parts) {
    __shared__ float sums[8][32];
    const long c = blockIdx.x * 32L + threadIdx.x;
    float sum = 0;
#pragma unroll 8
    for (long p = threadIdx.y; p < parts; p += 8) sum += c < C ? partial[p * C + c] : 0;
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || c >= C) return;
    for (int y = 1; y < 8; ++y) sum += sums[y][threadIdx.x];
    o[c] = sum;
}
