// Follows layer.cu: heads of the new tokens of a step, and the softmax over all tokens of a row.
constexpr int queries = HEADS / KV_HEADS;
constexpr int together(int most) { return queries % most == 0 ? most : together(most - 1); }
constexpr int few = together(queries < 4 ? queries : 4),
              at_once = few > 1 ? few : together(queries < 8 ? queries : 8), chunks = queries / at_once;

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

constexpr int lanes_for(int n) { return n <= 1 ? 1 : 2 * lanes_for((n + 1) / 2); }
constexpr int lanes = lanes_for(HEAD_WIDTH / 8);  // that hold a head

__device__ float weight_of(float most, float all) { return exp2f(most - all); }

// Of some heads, a lane's part: the largest score, the sum of exp2(score - most), and the same sum of values.
struct Softmax {
    float q[at_once][8], most[at_once], sum[at_once], values[at_once][8];
    template <int n> __device__ void take(const Eight (&k)[n], const Eight (&v)[n], const bool (&is_token)[n]) {
#pragma unroll
        for (int h = 0; h < at_once; ++h) {
            float score[n], top = most[h];
#pragma unroll
            for (int a = 0; a < n; ++a) {
                score[a] = 0;
                for (int i = 0; i < 8; ++i) score[a] += q[h][i] * wide(k[a].at[i]);
                score[a] = sum_of_lanes(score[a], lanes);
                if (!is_token[a]) score[a] = nothing;
                top = fmaxf(top, score[a]);
            }
            const float old = weight_of(most[h], top);
            most[h] = top, sum[h] *= old;
            for (int i = 0; i < 8; ++i) values[h][i] *= old;
#pragma unroll
            for (int a = 0; a < n; ++a) {
                const float p = score[a] > nothing ? exp2f(score[a] - top) : 0;
                sum[h] += p;
                for (int i = 0; i < 8; ++i) values[h][i] += p * wide(v[a].at[i]);
            }
        }
    }
};
