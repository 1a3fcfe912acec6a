// row m of b times a[m]: four columns of one row a thread; grid.y counts rows, so that no thread divides
// columns c to c+3 of a row: at once where all rows are aligned, else those that there are
static __device__ float4 load(const float* row, long c, long C) {
    if (C % 4 == 0) return *(const float4*)(row + c);
    return make_float4(row[c], c + 1 < C ? row[c + 1] : 0, c + 2 < C ? row[c + 2] : 0, c + 3 < C ? row[c + 3] : 0);
}

static __device__ void store(float* row, long c, long C, float4 v) {
    if (C % 4 == 0) {
        *(float4*)(row + c) = v;
        return;
    }
    row[c] = v.x;
    if (c + 1 < C) row[c + 1] = v.y;
    if (c + 2 < C) row[c + 2] = v.z;
    if (c + 3 < C) row[c + 3] = v.w;
}

extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ o, long M, long N) {
    const long m = blockIdx.y, n = 4L * (blockIdx.x * blockDim.x + threadIdx.x);
    if (n >= N) return;
    const float s = a[m];
    const float4 v = load(b + m * N, n, N);
    store(o + m * N, n, N, make_float4(s * v.x, s * v.y, s * v.z, s * v.w));
}
