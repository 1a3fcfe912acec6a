// Blocks of threads (column / 4, head), one position a block: cosines and sines are read once a block's heads, both halves of a head by one thread.
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

extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ c, const float* __restrict__ s, float* __restrict__ o, long T,
                             long H, long D) {
    const long t = blockIdx.x, d = 4L * threadIdx.x;
    if (d >= D) return;
    const float4 p = load(c + t * D, d, D), q = load(s + t * D, d, D);
    for (long h = threadIdx.y; h < H; h += blockDim.y) {
        const long at = (t * H + h) * 2 * D;
        const float4 x = load(a + at, d, D), y = load(a + at + D, d, D);
        store(o + at, d, D, make_float4(x.x * p.x - y.x * q.x, x.y * p.y - y.y * q.y, x.z * p.z - y.z * q.z, x.w * p.w - y.w * q.w));
        store(o + at + D, d, D, make_float4(y.x * p.x + x.x * q.x, y.y * p.y + x.y * q.y, y.z * p.z + x.z * q.z, y.w * p.w + x.w * q.w));
    }
}
