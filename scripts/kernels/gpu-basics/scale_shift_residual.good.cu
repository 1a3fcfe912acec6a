// four columns of one row a thread; grid.y counts rows, so that no thread divides
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

static __device__ float f(float a, float x, float w, float b) {
    const float t = a * w + b;
    return x + (t < 0 ? 0 : t);
}

extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b,
                             float* __restrict__ o, long R, long C) {
    const long r = blockIdx.y, c = 4L * (blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= C) return;
    const float4 p = load(a + r * C, c, C), q = load(x + r * C, c, C), s = load(w, c, C), t = load(b, c, C);
    store(o + r * C, c, C, make_float4(f(p.x, q.x, s.x, t.x), f(p.y, q.y, s.y, t.y), f(p.z, q.z, s.z, t.z), f(p.w, q.w, s.w, t.w)));
}
