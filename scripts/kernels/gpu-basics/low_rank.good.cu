// 64 rows a block: a u stays in shared memory and is multiplied with v there, 256 columns at a time. In the first product four groups of
// four warps take a quarter of each slice's steps, since 64 columns alone would not keep sixteen warps busy.
constexpr int TM = 64, RANK = 64, TK = 64, TN = 256, GROUPS = 4, THREADS = 512;

struct Slices {
    float a[TM][TK + 4], u[TK][RANK];
};
struct Shared {
    union {
        Slices slices[3];
        float v[2][RANK][TN];
    };
    float t[TM][RANK + 4];
};

// 16 bytes to shared memory behind the threads' back; zeros where `valid` is false.
__device__ void copy16(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int open> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory"); }

__device__ void load(Slices& s, const float* a, const float* u, long m0, long k0, long M, long K) {
#pragma unroll
    for (int j = 0; j < TM * TK / 4 / THREADS; ++j) {
        const int i = threadIdx.x + THREADS * j, r = i / (TK / 4), c = i % (TK / 4) * 4;
        const bool valid = m0 + r < M && k0 + c < K;
        copy16(&s.a[r][c], valid ? a + (m0 + r) * K + k0 + c : a, valid);
    }
#pragma unroll
    for (int j = 0; j < TK * RANK / 4 / THREADS; ++j) {
        const int i = threadIdx.x + THREADS * j, k = i / (RANK / 4), r = i % (RANK / 4) * 4;
        copy16(&s.u[k][r], k0 + k < K ? u + (k0 + k) * RANK + r : u, k0 + k < K);
    }
}

__device__ void load(float (&s)[RANK][TN], const float* v, long n0, long N) {
#pragma unroll
    for (int j = 0; j < RANK * TN / 4 / THREADS; ++j) {
        const int i = threadIdx.x + THREADS * j, r = i / (TN / 4), n = i % (TN / 4) * 4;
        copy16(&s[r][n], n0 + n < N ? v + r * N + n0 + n : v, n0 + n < N);
    }
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

// The first product; its parts meet in s.t.
__device__ void narrow(Shared& s, const float* a, const float* u, long m0, long M, long K) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, group = threadIdx.x / 128;
    const int row = warp / 2 * 32 + lane / 8, col = warp % 2 * 32 + lane % 8 * 4, tiles = static_cast<int>(K + TK - 1) / TK;
    float sum[8][4] = {};
    for (int t = 0; t < 2; ++t) {
        if (t < tiles) load(s.slices[t], a, u, m0, t * TK, M, K);
        commit();
    }
    for (int t = 0; t < tiles; ++t) {
        wait<1>();
        __syncthreads();
        if (t + 2 < tiles) load(s.slices[(t + 2) % 3], a, u, m0, (t + 2) * TK, M, K);
        commit();
        multiply<TK + 4, RANK>(s.slices[t % 3].a[0], s.slices[t % 3].u[0], sum, row, col, group * TK / GROUPS, (group + 1) * TK / GROUPS);
    }
    for (int turn = 0; turn < GROUPS; ++turn) {
        if (turn == group)
            for (int i = 0; i < 8; ++i) {
                float4& t = *reinterpret_cast<float4*>(&s.t[row + 4 * i][col]);
                const float4 before = turn ? t : make_float4(0, 0, 0, 0);
                t = make_float4(before.x + sum[i][0], before.y + sum[i][1], before.z + sum[i][2], before.w + sum[i][3]);
            }
        __syncthreads();
    }
}

__device__ void widen(Shared& s, const float* v, float* o, long m0, long M, long N) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 8 * 32 + lane / 8, col = warp % 8 * 32 + lane % 8 * 4;
    const int tiles = static_cast<int>(N + TN - 1) / TN;
    load(s.v[0], v, 0, N);
    commit();
    for (int t = 0; t < tiles; ++t) {
        wait<0>();
        __syncthreads();
        if (t + 1 < tiles) load(s.v[(t + 1) % 2], v, (t + 1) * TN, N);
        commit();
        float sum[8][4] = {};
        multiply<RANK + 4, TN>(s.t[0], s.v[t % 2][0], sum, row, col, 0, RANK);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const long m = m0 + row + 4 * i, n = t * TN + col;
            if (m < M && n < N) *reinterpret_cast<float4*>(o + m * N + n) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) k(const float* a, const float* u, const float* v, float* o, long M, long K, long N) {
    extern __shared__ __align__(16) unsigned char shared[];
    Shared& s = *reinterpret_cast<Shared*>(shared);
    narrow(s, a, u, blockIdx.x * TM, M, K);
    widen(s, v, o, blockIdx.x * TM, M, N);
}
