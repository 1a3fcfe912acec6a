// Four columns of one row a thread; grid.y counts rows, so that no thread divides. 0.5*(1+tanh(u)) is sigmoid(2u).
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

static __device__ float gelu(float t) { return t / (1 + expf(-1.5957691216f * (t + 0.044715f * t * t * t))); }

extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ o, long R, long C) {
    const long r = blockIdx.y, c = 4L * (blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= C) return;
    const float4 t = load(a + r * C, c, C), bias = load(b, c, C);
    store(o + r * C, c, C, make_float4(gelu(t.x + bias.x), gelu(t.y + bias.y), gelu(t.z + bias.z), gelu(t.w + bias.w)));
}
