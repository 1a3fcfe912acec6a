// 128x128 products a block on tensor cores (mma.sync), 64x32 a warp; four slices of the operands are under way.
#include <cuda_bf16.h>

constexpr int TM = 128, TN = 128, TK = 32, STAGES = 4;

struct Stage {  // the padding spreads the rows that ldmatrix reads together over all banks
    __nv_bfloat16 a[TM][TK + 8], b[TK][TN + 8];
};

// 16 bytes to shared memory behind the threads' back; zeros where `valid` is false.
__device__ void copy16(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int open> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory"); }

__device__ void ldmatrix(unsigned (&r)[4], const void* row) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

__device__ void ldmatrix_transposed(unsigned (&r)[4], const void* row) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

__device__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ void load(Stage& s, const __nv_bfloat16* a, const __nv_bfloat16* b, int m0, int n0, int k0, int M, int K, int N) {
#pragma unroll
    for (int j = 0; j < TM * TK / 8 / 256; ++j) {
        const int i = threadIdx.x + 256 * j;
        const int m = i / (TK / 8), k = i % (TK / 8) * 8;
        const bool valid = m0 + m < M && k0 + k < K;
        copy16(&s.a[m][k], valid ? a + (m0 + m) * static_cast<long>(K) + k0 + k : a, valid);
    }
#pragma unroll
    for (int j = 0; j < TK * TN / 8 / 256; ++j) {
        const int i = threadIdx.x + 256 * j;
        const int k = i / (TN / 8), n = i % (TN / 8) * 8;
        const bool valid = k0 + k < K && n0 + n < N;
        copy16(&s.b[k][n], valid ? b + (k0 + k) * static_cast<long>(N) + n0 + n : b, valid);
    }
}

__device__ void multiply(const Stage& s, float (&sum)[4][4][4], int row, int col) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < TK; k += 16) {
        unsigned a[4][4], b[2][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) ldmatrix(a[i], &s.a[row + 16 * i + lane % 16][k + lane / 16 * 8]);
#pragma unroll
        for (int j = 0; j < 2; ++j) ldmatrix_transposed(b[j], &s.b[k + lane % 16][col + 16 * j + lane / 16 * 8]);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) mma(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
}

extern "C" __global__ void __launch_bounds__(256, 2)
    k(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* o, long M, long K, long N) {
    extern __shared__ __align__(128) unsigned char shared[];
    Stage* stage = reinterpret_cast<Stage*>(shared);
    const int m0 = blockIdx.y * TM, n0 = blockIdx.x * TN, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp / 4 * 64, col = warp % 4 * 32, tiles = static_cast<int>(K + TK - 1) / TK;
    float sum[4][4][4] = {};
    for (int t = 0; t < STAGES - 1; ++t) {
        if (t < tiles) load(stage[t], a, b, m0, n0, t * TK, M, K, N);
        commit();
    }
    for (int t = 0; t < tiles; ++t) {
        wait<STAGES - 2>();
        __syncthreads();
        const int next = t + STAGES - 1;
        if (next < tiles) load(stage[next % STAGES], a, b, m0, n0, next * TK, M, K, N);
        commit();
        multiply(stage[t % STAGES], sum, row, col);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const long m = m0 + row + 16 * i + lane / 4 + 8 * half, n = n0 + col + 8 * j + lane % 4 * 2;
                const float x = sum[i][j][2 * half], y = sum[i][j][2 * half + 1];
                if (m < M && n < N) *reinterpret_cast<__nv_bfloat162*>(o + m * N + n) = __floats2bfloat162_rn(x, y);
            }
}
