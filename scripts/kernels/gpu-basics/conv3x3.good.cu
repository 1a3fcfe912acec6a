// Four columns and eight rows a thread: an input row is loaded once, as three pairs, and serves the three rows of sums that it is part of.
constexpr int ROWS = 8;

extern "C" __global__ void __launch_bounds__(256) k(const float* a, const float* w, float* o, long H, long W) {
    const long i = blockIdx.x * 256l + threadIdx.x, quads = W / 4;
    const long y0 = i / quads * ROWS, x = i % quads * 4;
    if (y0 >= H) return;
    a += y0 * (W + 2) + x;
    o += y0 * W + x;
    float tap[9], row[ROWS + 2][6];
#pragma unroll
    for (int t = 0; t < 9; ++t) tap[t] = w[t];
#pragma unroll
    for (int y = 0; y < ROWS + 2; ++y)
#pragma unroll
        for (int j = 0; j < 6; j += 2)
            *reinterpret_cast<float2*>(row[y] + j) =
                y0 + y < H + 2 ? *reinterpret_cast<const float2*>(a + y * (W + 2) + j) : make_float2(0, 0);
#pragma unroll
    for (int y = 0; y < ROWS; ++y) {
        float sum[4] = {};
#pragma unroll
        for (int t = 0; t < 9; ++t)
#pragma unroll
            for (int j = 0; j < 4; ++j) sum[j] += row[y + t / 3][j + t % 3] * tap[t];
        if (y0 + y < H) *reinterpret_cast<float4*>(o + y * W) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    }
}
