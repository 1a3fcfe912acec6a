// Normalised weights are prepacked, transposed, so that a call is a plain product: a 128x128 tile a block, 8x8 sums a thread.
constexpr int TM = 128, TN = 128, TK = 16;

struct Stage {  // the padding keeps rows apart in the banks
    float a[TM][TK + 4], b[TK][TN];
};

// 16 bytes to shared memory behind the threads' back; zeros where `valid` is false.
__device__ void copy16(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int open> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory"); }

__device__ void load(Stage& s, const float* a, const float* b, int m0, int n0, int k0, int M, int K, int N) {
#pragma unroll
    for (int j = 0; j < TM * TK / 4 / 256; ++j) {
        const int i = threadIdx.x + 256 * j;
        const int m = i / (TK / 4), k = i % (TK / 4) * 4;
        const bool valid = m0 + m < M && k0 + k < K;
        copy16(&s.a[m][k], valid ? a + (m0 + m) * K + k0 + k : a, valid);
    }
#pragma unroll
    for (int j = 0; j < TK * TN / 4 / 256; ++j) {
        const int i = threadIdx.x + 256 * j;
        const int k = i / (TN / 4), n = i % (TN / 4) * 4;
        const bool valid = k0 + k < K && n0 + n < N;
        copy16(&s.b[k][n], valid ? b + (k0 + k) * N + n0 + n : b, valid);
    }
    commit();
}

// Rows row + 4i, columns col .. col+3 and col+32 .. col+35.
__device__ void multiply(const Stage& s, float (&sum)[8][8], int row, int col) {
#pragma unroll
    for (int k = 0; k < TK; k += 4) {
        float4 a[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) a[i] = *reinterpret_cast<const float4*>(&s.a[row + 4 * i][k]);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float4 b0 = *reinterpret_cast<const float4*>(&s.b[k + q][col]),
                         b1 = *reinterpret_cast<const float4*>(&s.b[k + q][col + 32]);
            const float b[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sum[i][j] += (q == 0 ? a[i].x : q == 1 ? a[i].y : q == 2 ? a[i].z : a[i].w) * b[j];
        }
    }
}

// b[k,n] = v[n,k] g[n] / |v[n]|: a warp a row of v, once for the norm and once to write.
extern "C" __global__ void pack(const float* v, const float* g, float* b, long K, long N) {
    const long n = blockIdx.x * 8l + threadIdx.x / 32;
    if (n >= N) return;
    float squares = 0;
    for (long k = threadIdx.x % 32; k < K; k += 32) squares += v[n * K + k] * v[n * K + k];
    for (int other = 16; other; other /= 2) squares += __shfl_xor_sync(~0u, squares, other);
    const float scale = g[n] / sqrtf(squares);
    for (long k = threadIdx.x % 32; k < K; k += 32) b[k * N + n] = v[n * K + k] * scale;
}

extern "C" __global__ void __launch_bounds__(256, 2) k(const float* a, const float* b, const float* c, float* o, long M, long K, long N) {
    __shared__ __align__(16) Stage stage[2];
    const int m0 = blockIdx.y * TM, n0 = blockIdx.x * TN;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp / 2 * 32 + lane / 8, col = warp % 2 * 64 + lane % 8 * 4;
    const int tiles = static_cast<int>(K + TK - 1) / TK;
    float sum[8][8] = {};
    load(stage[0], a, b, m0, n0, 0, M, K, N);
    for (int t = 0; t < tiles; ++t) {
        wait<0>();
        __syncthreads();
        if (t + 1 < tiles) load(stage[(t + 1) % 2], a, b, m0, n0, (t + 1) * TK, M, K, N);
        multiply(stage[t % 2], sum, row, col);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            const int m = m0 + row + 4 * i, n = n0 + col + 8 * j;
            if (m < M && n < N)
                *reinterpret_cast<float4*>(o + m * N + n) = make_float4(sum[i][j] + c[n], sum[i][j + 1] + c[n + 1], sum[i][j + 2] + c[n + 2],
                                                                        sum[i][j + 3] + c[n + 3]);
        }
}
