// 32 filters on 8x16 inputs, which make 16x32 outputs, a block; 4 filters on 2x8 outputs a thread. A warp reads its weights as one. Slices of 8
// channels, two deep.
constexpr int TM = 32, TH = 8, TW = 16, TK = 8;

struct Stage {
    float a[TK][TH + 2][TW + 4], w[TK][TM][16];  // a begins one row above and one column before the tile
};

// 16 bytes to shared memory behind the threads' back; zeros where `valid` is false.
__device__ void copy16(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

__device__ void copy4(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(valid ? 4 : 0) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int open> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory"); }

__device__ void load(Stage& s, const float* a, const float* w, int k0, int y0, int x0, int m0, int K, int H, int W, int M) {
    const int k = threadIdx.x / 32, lane = threadIdx.x % 32, c = x0 + lane - 1;  // a warp brings a channel's rows
    const float* from = a + static_cast<long>(k0 + k) * H * W + c;
    if (lane < TW + 2) {
#pragma unroll
        for (int y = 0; y < TH + 2; ++y) {
            const int r = y0 + y - 1;
            const bool valid = k0 + k < K && r >= 0 && r < H && c >= 0 && c < W;
            copy4(&s.a[k][y][lane], valid ? from + r * W : a, valid);
        }
    }
#pragma unroll
    for (int j = 0; j < TK * TM * 4 / 256; ++j) {
        const int i = threadIdx.x + 256 * j, u = i % 4 * 4, m = i / 4 % TM, slice = i / 4 / TM;
        const bool valid = k0 + slice < K && m0 + m < M;
        copy16(&s.w[slice][m][u], valid ? w + (static_cast<long>(k0 + slice) * M + m0 + m) * 16 + u : w, valid);
    }
    commit();
}

// Filters m .. m+3 on the outputs around inputs x .. x+3 of row y. An even output takes the odd taps, an odd one the even taps.
__device__ void multiply(const Stage& s, float (&sum)[4][2][8], int m, int y, int x) {
#pragma unroll 1
    for (int k = 0; k < TK; ++k) {
        float a[3][8];
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            *reinterpret_cast<float4*>(a[r]) = *reinterpret_cast<const float4*>(&s.a[k][y + r][x]);
            *reinterpret_cast<float2*>(a[r] + 4) = *reinterpret_cast<const float2*>(&s.a[k][y + r][x + 4]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int u = 0; u < 4; ++u) {
                const float4 q = *reinterpret_cast<const float4*>(&s.w[k][m + i][u * 4]);
                const int p = (u + 1) % 2, r = p ? 2 - u / 2 : 1 - u / 2;  // the output's row and the input's
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sum[i][p][2 * j] += a[r][j + 1] * q.y;
                    sum[i][p][2 * j] += a[r][j] * q.w;
                    sum[i][p][2 * j + 1] += a[r][j + 2] * q.x;
                    sum[i][p][2 * j + 1] += a[r][j + 1] * q.z;
                }
            }
    }
}

extern "C" __global__ void __launch_bounds__(256, 2) k(const float* a, const float* w, float* o, long K, long H, long W, long M) {
    __shared__ __align__(16) Stage stage[2];
    const int columns = static_cast<int>(W + TW - 1) / TW, y0 = blockIdx.x / columns * TH, x0 = blockIdx.x % columns * TW,
              m0 = blockIdx.y * TM;
    const int lane = threadIdx.x % 32, m = threadIdx.x / 32 * 4, y = lane / 4, x = lane % 4 * 4, slices = static_cast<int>(K + TK - 1) / TK;
    float sum[4][2][8] = {};
    load(stage[0], a, w, 0, y0, x0, m0, K, H, W, M);
    for (int t = 0; t < slices; ++t) {
        wait<0>();
        __syncthreads();
        if (t + 1 < slices) load(stage[(t + 1) % 2], a, w, (t + 1) * TK, y0, x0, m0, K, H, W, M);
        multiply(stage[t % 2], sum, m, y, x);
    }
    if (y0 + y >= H || x0 + x >= W) return;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int p = 0; p < 2; ++p)
#pragma unroll
            for (int j = 0; j < 8; j += 4)
                if (m0 + m + i < M)
                    *reinterpret_cast<float4*>(o + ((m0 + m + i) * 2 * H + 2 * (y0 + y) + p) * 2 * W + 2 * (x0 + x) + j) =
                        make_float4(sum[i][p][j], sum[i][p][j + 1], sum[i][p][j + 2], sum[i][p][j + 3]);
}
