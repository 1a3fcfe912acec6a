// Follows softmax.cu: the same by tensor cores (m16n8k16), as FlashAttention-2 (Dao 2023) has it: heads are the rows, a
// block's 16 tokens the columns of the scores. The lanes of a tile are numbered [row = lane / 4][pair = lane % 4].
#ifdef TENSOR_CORES
struct alignas(16) Piece {
    unsigned pair[4];  // of bfloat16
};
__device__ Piece piece(const number* at) { return *reinterpret_cast<const Piece*>(at); }

// sum += a b. a: of the rows row and row + 8, first and second half of k; b: first and second half of k.
__device__ void add_product(float (&sum)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                            unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

__device__ unsigned narrow_pair(float low, float high) {
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

template <int heads_at_once> class Softmax {
    static constexpr int steps = HEAD_WIDTH / 32, eights = HEAD_WIDTH / 64;  // pieces of a key, of a value
    static constexpr int halves = heads_at_once > 8 ? 2 : 1;                 // of a tile's rows that are heads

public:
    __device__ explicit Softmax(const number (*heads)[HEAD_WIDTH]) {
#pragma unroll
        for (int half = 0; half < 2; ++half)
            for (int s = 0; s < steps; ++s) {
                q[half][s] = {};
                if (row + 8 * half < heads_at_once) q[half][s] = piece(heads[row + 8 * half] + 32 * s + 8 * pair);
            }
    }
    __device__ void take(const Block& block) {
        Piece k[2][steps] = {}, v[4][eights] = {};
#pragma unroll
        for (int n = 0; n < 2; ++n)
            for (int s = 0; s < steps; ++s)
                if (8 * n + row < block.tokens) k[n][s] = piece(block.key(8 * n + row) + 32 * s + 8 * pair);
#pragma unroll
        for (int t = 0; t < 4; ++t)
            for (int j = 0; j < eights; ++j)
                if (token(t) < block.tokens) v[t][j] = piece(block.value(token(t)) + 64 * j + 8 * row);
        float p[2][4] = {};  // scores of the tokens 0 to 7 and 8 to 15, then their exp2
#pragma unroll
        for (int s = 0; s < steps; ++s)
            for (int n = 0; n < 2; ++n)
                for (int i = 0; i < 4; i += 2)  // k is permuted within 32, in both factors alike
                    add_product(p[n], q[0][s].pair[i], q[1][s].pair[i], q[0][s].pair[i + 1], q[1][s].pair[i + 1],
                                k[n][s].pair[i], k[n][s].pair[i + 1]);
#pragma unroll
        for (int half = 0; half < halves; ++half) weigh(half, p, block.tokens);
        const unsigned a0 = narrow_pair(p[0][0], p[0][1]), a1 = narrow_pair(p[0][2], p[0][3]),
                       a2 = narrow_pair(p[1][0], p[1][1]), a3 = narrow_pair(p[1][2], p[1][3]);
#pragma unroll
        for (int j = 0; j < eights; ++j)
            for (int e = 0; e < 8; ++e) {  // column `row` of a tile: dimension 64 j + 8 row + e
                const unsigned both = e % 2 ? 0x7632 : 0x5410;
                add_product(values[8 * j + e], a0, a1, a2, a3,
                            __byte_perm(v[0][j].pair[e / 2], v[1][j].pair[e / 2], both),
                            __byte_perm(v[2][j].pair[e / 2], v[3][j].pair[e / 2], both));
            }
    }
    __device__ void leave(Partial<heads_at_once>& to) {
#pragma unroll
        for (int half = 0; half < halves; ++half) {
            const int head = row + 8 * half;
            const float all = sum_of_lanes(sum[half], 4);
            if (head >= heads_at_once) continue;
            if (pair == 0) to.most[head] = most[half], to.sum[head] = all;
#pragma unroll
            for (int j = 0; j < eights; ++j)
                for (int e = 0; e < 8; ++e)
                    for (int i = 0; i < 2; ++i)
                        to.values[head][64 * j + 8 * (2 * pair + i) + e] = values[8 * j + e][2 * half + i];
        }
    }

private:
    __device__ int token(int t) const { return 2 * pair + t % 2 + t / 2 * 8; }
    __device__ void weigh(int half, float (&p)[2][4], int tokens) {
        float top = most[half];
        for (int t = 0; t < 4; ++t) {
            float& score = p[t / 2][2 * half + t % 2];
            score = token(t) < tokens ? unit_of_scores() * score : nothing;
            top = fmaxf(top, score);
        }
        for (int step = 1; step < 4; step *= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
        const float old = weight_of(most[half], top);
        most[half] = top, sum[half] *= old;
        for (auto& value : values) value[2 * half] *= old, value[2 * half + 1] *= old;
        for (int t = 0; t < 4; ++t) {
            float& weight = p[t / 2][2 * half + t % 2];
            weight = weight > nothing ? exp2f(weight - top) : 0;
            sum[half] += weight;
        }
    }
    const int row = threadIdx.x % warp / 4, pair = threadIdx.x % 4;
    Piece q[2][steps];
    float most[2] = {nothing, nothing}, sum[2] = {}, values[HEAD_WIDTH / 8][4] = {};
};
#endif
