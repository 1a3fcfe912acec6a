// One pass: two neighbouring threads have four pixels, eight channels each, run through the depth with the least sums in registers and make
// the softmax together. Weights lie in shared memory with the channels side by side and are read by a warp as two.
extern "C" __global__ void __launch_bounds__(256, 2)
    k(const float* a, const float* w, const float* c, float* o, long B, long D, long H, long W) {
    __shared__ __align__(16) float weights[81][16];
    for (int i = threadIdx.x; i < 81 * 16; i += 256) weights[i % 81][i / 81] = w[i];
    __syncthreads();
    const long i = blockIdx.x * 128l + threadIdx.x / 2, quads = W / 4, b = i / (H * quads), y = i / quads % H, x = i % quads * 4;
    const int m = threadIdx.x % 2 * 8;
    if (b >= B) return;
    a += b * 3 * (D + 2) * (H + 2) * (W + 2) + y * (W + 2) + x;
    o += (b * 16 + m) * H * W + y * W + x;
    float least[8][4];
#pragma unroll 1
    for (long d = 0; d < D; ++d) {
        float sum[8][4] = {};
#pragma unroll 1
        for (int plane = 0; plane < 9; ++plane) {  // channel and depth
            const float* at = a + (plane / 3 * (D + 2) + d + plane % 3) * (H + 2) * (W + 2);
#pragma unroll
            for (int u = 0; u < 3; ++u) {
                float in[6];
#pragma unroll
                for (int j = 0; j < 6; j += 2) *reinterpret_cast<float2*>(in + j) = *reinterpret_cast<const float2*>(at + u * (W + 2) + j);
#pragma unroll
                for (int v = 0; v < 3; ++v) {
                    float tap[8];
#pragma unroll
                    for (int q = 0; q < 8; q += 4)
                        *reinterpret_cast<float4*>(tap + q) = *reinterpret_cast<const float4*>(&weights[plane * 9 + u * 3 + v][m + q]);
#pragma unroll
                    for (int q = 0; q < 8; ++q)
#pragma unroll
                        for (int j = 0; j < 4; ++j) sum[q][j] += tap[q] * in[j + v];
                }
            }
        }
#pragma unroll
        for (int q = 0; q < 8; ++q)
#pragma unroll
            for (int j = 0; j < 4; ++j) least[q][j] = d == 0 ? sum[q][j] : fminf(least[q][j], sum[q][j]);
    }
    const unsigned pair = 3u << (threadIdx.x % 32 / 2 * 2);
    float most[4], total[4] = {};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            least[q][j] += c[m + q];
            most[j] = q == 0 ? least[q][j] : fmaxf(most[j], least[q][j]);
        }
        most[j] = fmaxf(most[j], __shfl_xor_sync(pair, most[j], 1));
#pragma unroll
        for (int q = 0; q < 8; ++q) total[j] += least[q][j] = __expf(least[q][j] - most[j]);
        total[j] = 1 / (total[j] + __shfl_xor_sync(pair, total[j], 1));
    }
#pragma unroll
    for (int q = 0; q < 8; ++q)
        *reinterpret_cast<float4*>(o + q * H * W) =
            make_float4(least[q][0] * total[0], least[q][1] * total[1], least[q][2] * total[2], least[q][3] * total[3]);
}
