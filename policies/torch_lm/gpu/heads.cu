// Follows layer.cu: heads of the new tokens of a step, and the tokens that they attend to.
constexpr int token_stride = 2 * KV_HEADS * HEAD_WIDTH;  // from a token's keys to the next token's

struct Qkv {  // of a step
    const number *heads, *bias, *q_norm, *k_norm;
    const float* rotary;  // cosines and sines of each row's position: [rows][HEAD_WIDTH]
};

// Adds the bias to a head of q, k or v, norms and turns q and k. By a warp; to: [HEAD_WIDTH], shared.
__device__ void place_head(const Qkv& qkv, int row, int head, number* to) {
    constexpr int half = HEAD_WIDTH / 2, pairs = (half + warp - 1) / warp;
    const int lane = threadIdx.x % warp;
    const number* from = qkv.heads + (long long)row * per_row + head * HEAD_WIDTH;
    float a[pairs], b[pairs], squares = 0;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
        const int i = p * warp + lane;
        const bool here = i < half;
        a[p] = here ? wide(from[i]) : 0, b[p] = here ? wide(from[half + i]) : 0;
#ifdef QKV_BIAS
        if (here)
            a[p] = rounded(a[p] + wide(qkv.bias[head * HEAD_WIDTH + i])),
            b[p] = rounded(b[p] + wide(qkv.bias[head * HEAD_WIDTH + half + i]));
#endif
        squares += a[p] * a[p] + b[p] * b[p];
    }
#ifdef QK_NORM
    if (head < HEADS + KV_HEADS) {
        const number* norm = head < HEADS ? qkv.q_norm : qkv.k_norm;
        const float scale = rsqrtf(sum_of_lanes(squares, warp) / HEAD_WIDTH + EPSILON);
        for (int p = 0; p < pairs; ++p)
            if (const int i = p * warp + lane; i < half)
                a[p] = rounded(a[p] * scale * wide(norm[i])), b[p] = rounded(b[p] * scale * wide(norm[half + i]));
    }
#endif
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
        const int i = p * warp + lane;
        if (i >= half) break;
        const bool turns = head < HEADS + KV_HEADS;
        const float cosine = turns ? qkv.rotary[row * HEAD_WIDTH + i] : 1,
                    sine = turns ? qkv.rotary[row * HEAD_WIDTH + half + i] : 0;
        to[i] = narrow(a[p] * cosine - b[p] * sine), to[half + i] = narrow(b[p] * cosine + a[p] * sine);
    }
}

// Keys and values of one key head in a block of the cache.
struct Block {
    number* keys;          // of its first token
    int tokens;            // the new one included
    const number* newest;  // key and value of the last token, if that is the new one; else null

    __device__ const number* key(int t) const { return is_new(t) ? newest : keys + t * token_stride; }
    __device__ const number* value(int t) const {
        return is_new(t) ? newest + HEAD_WIDTH : keys + t * token_stride + KV_HEADS * HEAD_WIDTH;
    }

private:
    __device__ bool is_new(int t) const { return newest && t == tokens - 1; }
};

// Of some tokens, for each head: the largest score, the sum of exp2(score - most), the same sum of values.
template <int n> struct Partial { float most[n], sum[n], values[n][HEAD_WIDTH]; };

__device__ float weight_of(float most, float all) { return exp2f(most - all); }
__device__ float unit_of_scores() { return 1.44269504f * rsqrtf((float)HEAD_WIDTH); }  // of exp2
