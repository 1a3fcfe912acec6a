// Follows heads.cu: a warp's part of the softmax over tokens, without tensor cores: some lanes hold a head, and take a
// token.
#ifndef TENSOR_CORES
constexpr int lanes_for(int n) { return n <= 1 ? 1 : 2 * lanes_for((n + 1) / 2); }
constexpr int lanes = lanes_for(HEAD_WIDTH / 8),
              tokens_at_once = warp / lanes < block_tokens ? warp / lanes : block_tokens;
constexpr int ahead =
    block_tokens / tokens_at_once < 4 ? block_tokens / tokens_at_once : 4;  // tokens of a lane in flight

template <int heads_at_once> class Softmax {
public:
    __device__ explicit Softmax(const number (*heads)[HEAD_WIDTH])
        : part(threadIdx.x % lanes), token(threadIdx.x % warp / lanes) {
        here = part * 8 < HEAD_WIDTH && token < tokens_at_once;
#pragma unroll
        for (int h = 0; h < heads_at_once; ++h) {
            most[h] = nothing, sum[h] = 0;
            Eight of = {};
            if (here) of = eight(heads[h] + part * 8);
            for (int i = 0; i < 8; ++i) q[h][i] = unit_of_scores() * wide(of.at[i]), values[h][i] = 0;
        }
    }
    __device__ void take(const Block& block) {
#pragma unroll
        for (int t = 0; t < block_tokens; t += ahead * tokens_at_once) {
            Eight k[ahead] = {}, v[ahead] = {};
            bool is_token[ahead];
#pragma unroll
            for (int a = 0; a < ahead; ++a) {
                const int at = t + a * tokens_at_once + token;
                is_token[a] = at < block.tokens && token < tokens_at_once;
                if (here && is_token[a])
                    k[a] = eight(block.key(at) + part * 8), v[a] = eight(block.value(at) + part * 8);
            }
#pragma unroll
            for (int h = 0; h < heads_at_once; ++h) add(h, k, v, is_token);
        }
    }
    __device__ void leave(Partial<heads_at_once>& to) {
#pragma unroll
        for (int h = 0; h < heads_at_once; ++h) {
            float top = most[h];
            for (int step = lanes; step < warp; step *= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
            const float by = weight_of(most[h], top), all = over_tokens(by * sum[h]);
            for (int i = 0; i < 8; ++i) {
                const float value = over_tokens(by * values[h][i]);
                if (token == 0 && part * 8 < HEAD_WIDTH) to.values[h][part * 8 + i] = value;
            }
            if (threadIdx.x % warp == 0) to.most[h] = top, to.sum[h] = all;
        }
    }

private:
    __device__ static float over_tokens(float x) {
        for (int step = lanes; step < warp; step *= 2) x += __shfl_xor_sync(~0u, x, step);
        return x;
    }
    __device__ void add(int h, const Eight (&k)[ahead], const Eight (&v)[ahead], const bool (&is_token)[ahead]) {
        float score[ahead], top = most[h];
#pragma unroll
        for (int a = 0; a < ahead; ++a) {
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
        for (int a = 0; a < ahead; ++a) {
            const float p = score[a] > nothing ? exp2f(score[a] - top) : 0;
            sum[h] += p;
            for (int i = 0; i < 8; ++i) values[h][i] += p * wide(v[a].at[i]);
        }
    }
    int part, token;
    bool here;
    float q[heads_at_once][8], most[heads_at_once], sum[heads_at_once], values[heads_at_once][8];
};
#endif
