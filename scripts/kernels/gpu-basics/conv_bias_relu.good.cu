// 64 filters on 8x32 pixels of one image a block, 8 filters on 8 neighbouring pixels a thread; bias and relu are applied to the sums in
// registers. Slices of 4 channels, two deep.
constexpr int TM = 64, TH = 8, TW = 32, TK = 4;  // filters, rows, columns of a block's tile; channels of a slice

struct Stage {
    float a[TK][TH + 2][TW + 4], w[TK * 9][TM + 4];  // a row of w: one tap of all filters
};

// 8 bytes to shared memory behind the threads' back; zeros where `valid` is false.
__device__ void copy8(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(from), "r"(valid ? 8 : 0) : "memory");
}

__device__ void copy4(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(valid ? 4 : 0) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int open> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory"); }

// Image a has K channels of H+2 rows of W+2 values, w has M filters.
__device__ void load(Stage& s, const float* a, const float* w, int k0, int y0, int x0, int m0, int K, int H, int W, int M) {
    constexpr int rows = (TH + 2) * TK / 8, filters = TM / 8;  // of a warp: half a channel's rows
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, k = warp / 2, x = lane * 2;
    const float* from = a + (static_cast<long>(k0 + k) * (H + 2) + y0) * (W + 2) + x0 + x;
    if (lane <= TW / 2) {
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            const int y = warp % 2 * rows + i;
            const bool valid = k0 + k < K && y0 + y < H + 2 && x0 + x < W + 2;
            copy8(&s.a[k][y][x], valid ? from + y * (W + 2) : a, valid);
        }
    }
#pragma unroll
    for (int i = 0; i <= filters; ++i) {  // a filter's first 32 taps at a time, then the last 4 of all
        const int m = warp * filters + (i < filters ? i : lane / 4), tap = i < filters ? lane : 32 + lane % 4;
        if (i == filters && lane >= 4 * filters) break;
        const bool valid = m0 + m < M && k0 + tap / 9 < K;
        copy4(&s.w[tap][m], valid ? w + (static_cast<long>(m0 + m) * K + k0) * 9 + tap : w, valid);
    }
    commit();
}

// Filters m .. m+7 at columns x .. x+7 of row y.
__device__ void multiply(const Stage& s, float (&sum)[8][8], int m, int y, int x) {
#pragma unroll 1
    for (int k = 0; k < TK; ++k)
#pragma unroll
        for (int u = 0; u < 3; ++u) {
            float a[12];
#pragma unroll
            for (int j = 0; j < 12; j += 4) *reinterpret_cast<float4*>(a + j) = *reinterpret_cast<const float4*>(&s.a[k][y + u][x + j]);
#pragma unroll
            for (int v = 0; v < 3; ++v) {
                float w[8];
#pragma unroll
                for (int i = 0; i < 8; i += 4)
                    *reinterpret_cast<float4*>(w + i) = *reinterpret_cast<const float4*>(&s.w[k * 9 + u * 3 + v][m + i]);
#pragma unroll
                for (int i = 0; i < 8; ++i)
#pragma unroll
                    for (int j = 0; j < 8; ++j) sum[i][j] += w[i] * a[j + v];
            }
        }
}

__device__ float relu(float x) { return x < 0 ? 0 : x; }

extern "C" __global__ void __launch_bounds__(256, 2)
    k(const float* a, const float* w, const float* c, float* o, long B, long K, long H, long W, long M) {
    __shared__ __align__(16) Stage stage[2];
    const int columns = static_cast<int>(W + TW - 1) / TW, y0 = blockIdx.x / columns * TH, x0 = blockIdx.x % columns * TW;
    const int m0 = blockIdx.y * TM;
    a += blockIdx.z * K * (H + 2) * (W + 2);
    o += blockIdx.z * M * H * W;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = warp % (TM / 8) * 8;
    const int row = warp / (TM / 8) * 8 + lane / 4, col = lane % 4 * 8, slices = static_cast<int>(K + TK - 1) / TK;
    float sum[8][8] = {};
    load(stage[0], a, w, 0, y0, x0, m0, K, H, W, M);
    for (int t = 0; t < slices; ++t) {
        wait<0>();
        __syncthreads();
        if (t + 1 < slices) load(stage[(t + 1) % 2], a, w, (t + 1) * TK, y0, x0, m0, K, H, W, M);
        multiply(stage[t % 2], sum, first, row, col);
    }
    if (y0 + row >= H) return;
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            const int m = m0 + first + i, x = x0 + col + j;
            if (m < M && x < W)
                *reinterpret_cast<float4*>(o + (static_cast<long>(m) * H + y0 + row) * W + x) =
                    make_float4(relu(sum[i][j] + c[m]), relu(sum[i][j + 1] + c[m]), relu(sum[i][j + 2] + c[m]), relu(sum[i][j + 3] + c[m]));
        }
}
