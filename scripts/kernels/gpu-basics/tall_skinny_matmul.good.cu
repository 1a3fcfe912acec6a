// 128 rows and 32 columns a block of 128 threads, 8x4 sums a thread; the next slices arrive while the present ones are multiplied.
constexpr int TM = 128, TN = 32, TK = 32;

struct Stage {
    float a[TM][TK + 4], b[TK][TN];
};

// 16 bytes to shared memory behind the threads' back; zeros where `valid` is false.
__device__ void copy16(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int open> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory"); }

__device__ void load(Stage& s, const float* a, const float* b, long m0, long n0, long k0, long M, long K, long N) {
#pragma unroll
    for (int j = 0; j < TM * TK / 4 / 128; ++j) {
        const int i = threadIdx.x + 128 * j, r = i / (TK / 4), c = i % (TK / 4) * 4;
        const bool valid = m0 + r < M && k0 + c < K;
        copy16(&s.a[r][c], valid ? a + (m0 + r) * K + k0 + c : a, valid);
    }
#pragma unroll
    for (int j = 0; j < TK * TN / 4 / 128; ++j) {
        const int i = threadIdx.x + 128 * j, r = i / (TN / 4), c = i % (TN / 4) * 4;
        const bool valid = k0 + r < K && n0 + c < N;
        copy16(&s.b[r][c], valid ? b + (k0 + r) * N + n0 + c : b, valid);
    }
    commit();
}

// Rows row + 4i, columns col .. col+3, steps from..to of slices whose rows are LA and LB apart.
template <int LA, int LB> __device__ void multiply(const float* a, const float* b, float (&sum)[8][4], int row, int col, int from, int to) {
#pragma unroll 4
    for (int k = from; k < to; k += 4) {
        float4 x[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) x[i] = *reinterpret_cast<const float4*>(a + (row + 4 * i) * LA + k);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float4 y = *reinterpret_cast<const float4*>(b + (k + q) * LB + col);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float s = q == 0 ? x[i].x : q == 1 ? x[i].y : q == 2 ? x[i].z : x[i].w;
                sum[i][0] += s * y.x, sum[i][1] += s * y.y, sum[i][2] += s * y.z, sum[i][3] += s * y.w;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 4) k(const float* a, const float* b, float* o, long M, long K, long N) {
    __shared__ __align__(16) Stage stage[2];
    const long m0 = blockIdx.x * TM, n0 = blockIdx.y * TN;
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 32 + lane / 8, col = lane % 8 * 4,
              tiles = static_cast<int>(K + TK - 1) / TK;
    float sum[8][4] = {};
    load(stage[0], a, b, m0, n0, 0, M, K, N);
    for (int t = 0; t < tiles; ++t) {
        wait<0>();
        __syncthreads();
        if (t + 1 < tiles) load(stage[(t + 1) % 2], a, b, m0, n0, (t + 1) * TK, M, K, N);
        multiply<TK + 4, TN>(stage[t % 2].a[0], stage[t % 2].b[0], sum, row, col, 0, TK);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const long m = m0 + row + 4 * i, n = n0 + col;
        if (m < M && n < N) *reinterpret_cast<float4*>(o + m * N + n) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    }
}
