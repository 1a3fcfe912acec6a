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

static __device__ float gate(float t, float v) { return t / (1 + expf(-t)) * v; }

extern "C" __global__ void k(const float* __restrict__ a, float* __restrict__ o, long R, long C) {
    const long r = blockIdx.y, c = 4L * (blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= C) return;
    const float* row = a + 2 * r * C;
    const float4 t = load(row, c, C), v = load(row + C, c, C);
    store(o + r * C, c, C, make_float4(gate(t.x, v.x), gate(t.y, v.y), gate(t.z, v.z), gate(t.w, v.w)));
}
