// 128 queries of a head a block of four warps, 32 a warp, on tensor cores (mma.sync). Scores stay in registers: as weights in f16 they are already
// laid out as the left operand of the second product. Two tiles of 64 keys and values are under way.
#include <cuda_fp16.h>

constexpr int ROWS = 128, KEYS = 64, WIDTH = 64, PAD = 8;

struct Tile {
    __half k[KEYS][WIDTH + PAD], v[KEYS][WIDTH + PAD];
};
struct Shared {
    __half q[ROWS][WIDTH + PAD];
    Tile tile[2];
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
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <int rows> __device__ void load(__half (&to)[rows][WIDTH + PAD], const __half* from, long first, long S) {
#pragma unroll
    for (int j = 0; j < rows * WIDTH / 8 / 128; ++j) {
        const int i = threadIdx.x + 128 * j, r = i / (WIDTH / 8), d = i % (WIDTH / 8) * 8;
        copy16(&to[r][d], first + r < S ? from + (first + r) * WIDTH + d : from, first + r < S);
    }
}

// Scores of 16 queries and 64 keys.
__device__ void score(const Shared& s, const Tile& tile, float (&p)[8][4], int row, int lane) {
#pragma unroll
    for (int d = 0; d < WIDTH; d += 16) {
        unsigned q[4], k[4];
        ldmatrix(q, &s.q[row + lane % 16][d + lane / 16 * 8]);
#pragma unroll
        for (int j = 0; j < 8; j += 2) {  // two groups of 8 keys
            ldmatrix(k, &tile.k[8 * j + lane / 16 * 8 + lane % 8][d + lane / 8 % 2 * 8]);
            mma(p[j], q, k[0], k[1]);
            mma(p[j + 1], q, k[2], k[3]);
        }
    }
}

// A thread has keys 8j + lane % 4 * 2 and the next of two rows, 8 apart; `valid` keys of the tile exist.
__device__ void weigh(float (&p)[8][4], float (&sum)[8][4], float (&most)[2], float (&total)[2], int valid, int lane) {
    constexpr float scale = 0.125f * 1.4426950409f;  // exp(x / 8) = exp2(scale x)
    if (valid < KEYS) {
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (8 * j + lane % 4 * 2 + e % 2 >= valid) p[j][e] = -1.0f / 0.0f;
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        float largest = most[r], here = 0;
#pragma unroll
        for (int j = 0; j < 8; ++j) largest = fmaxf(largest, fmaxf(p[j][2 * r], p[j][2 * r + 1]));
        for (int other = 2; other; other /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, other));
        const float shrink = exp2f((most[r] - largest) * scale), top = largest * scale;
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 2 * r; e < 2 * r + 2; ++e) {
                here += p[j][e] = exp2f(p[j][e] * scale - top);
                sum[j][e] *= shrink;
            }
        most[r] = largest;
        total[r] = total[r] * shrink + here;
    }
}

__device__ unsigned pack(float x, float y) {
    const __half2 both = __floats2half2_rn(x, y);
    return *reinterpret_cast<const unsigned*>(&both);
}

__device__ void gather(const Tile& tile, const float (&p)[2][8][4], float (&sum)[2][8][4], int lane) {
#pragma unroll
    for (int key = 0; key < KEYS; key += 16) {
        unsigned w[2][4], v[4];
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) w[i][e] = pack(p[i][key / 8 + e / 2][e % 2 * 2], p[i][key / 8 + e / 2][e % 2 * 2 + 1]);
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            ldmatrix_transposed(v, &tile.v[key + lane % 16][8 * j + lane / 16 * 8]);
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                mma(sum[i][j], w[i], v[0], v[1]);
                mma(sum[i][j + 1], w[i], v[2], v[3]);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 2) k(const __half* a, const __half* b, const __half* c, __half* o, long H, long S) {
    extern __shared__ __align__(128) unsigned char shared[];
    Shared& s = *reinterpret_cast<Shared*>(shared);
    const long head = blockIdx.y * S * WIDTH, first = blockIdx.x * ROWS;
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 32, tiles = static_cast<int>(S + KEYS - 1) / KEYS;
    float sum[2][8][4] = {}, most[2][2], total[2][2] = {};
    for (int i = 0; i < 4; ++i) most[i / 2][i % 2] = -1.0f / 0.0f;
    load(s.q, a + head, first, S);
    load(s.tile[0].k, b + head, 0, S);
    load(s.tile[0].v, c + head, 0, S);
    commit();
    for (int t = 0; t < tiles; ++t) {
        wait<0>();
        __syncthreads();
        if (t + 1 < tiles) {
            load(s.tile[(t + 1) % 2].k, b + head, (t + 1) * KEYS, S);
            load(s.tile[(t + 1) % 2].v, c + head, (t + 1) * KEYS, S);
        }
        commit();
        float p[2][8][4] = {};
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            score(s, s.tile[t % 2], p[i], row + 16 * i, lane);
            weigh(p[i], sum[i], most[i], total[i], static_cast<int>(S) - t * KEYS, lane);
        }
        gather(s.tile[t % 2], p, sum, lane);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float all = total[i / 2][i % 2];
        for (int other = 2; other; other /= 2) all += __shfl_xor_sync(~0u, all, other);
        const long r = first + row + i / 2 * 16 + i % 2 * 8 + lane / 4;
        if (r >= S) continue;
#pragma unroll
        for (int j = 0; j < 8; ++j)
            *reinterpret_cast<__half2*>(o + head + r * WIDTH + 8 * j + lane % 4 * 2) =
                __floats2half2_rn(sum[i / 2][j][i % 2 * 2] / all, sum[i / 2][j][i % 2 * 2 + 1] / all);
    }
}
