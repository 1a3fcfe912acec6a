// Follows layer.cu.
// Attention of one new token a row over its blocks. A block of threads takes some heads of one key head and a share of
// the row's blocks (Flash-Decoding, Dao et al. 2023); the last of a row's shares joins them.
constexpr int queries = HEADS / KV_HEADS;
constexpr int together(int most) { return queries % most == 0 ? most : together(most - 1); }
constexpr int at_once = together(queries < 8 ? queries : 8), chunks = queries / at_once;
constexpr int lanes_for(int n) { return n <= 1 ? 1 : 2 * lanes_for((n + 1) / 2); }
constexpr int lanes = lanes_for(HEAD_WIDTH / 8),
              tokens_at_once = warp / lanes < block_tokens ? warp / lanes : block_tokens;
constexpr int ahead =
    block_tokens / tokens_at_once < 4 ? block_tokens / tokens_at_once : 4;  // tokens of a lane in flight

struct Partial {
    float most[at_once], sum[at_once],
        values[at_once][HEAD_WIDTH];  // the largest score, sum of exp2(score - most), and the same of values
};

__device__ float most_of_lanes(float x) {
    for (int step = warp / 2; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
    return x;
}

__device__ float weight_of(float most, float all) { return exp2f(most - all); }

extern "C" __global__ void __launch_bounds__(warp* attention_warps)
    attention(Rows rows, const number* qkv, number* out, int layer, Partial* partials, int* done) {
    const int row = blockIdx.z, group = blockIdx.y, share = blockIdx.x, shares = gridDim.x;
    const int kv_head = group / chunks, first_head = kv_head * queries + group % chunks * at_once;
    const int lane = threadIdx.x % warp, own_warp = threadIdx.x / warp, part = lane % lanes, token = lane / lanes;
    const bool here = part * 8 < HEAD_WIDTH && token < tokens_at_once;
    const int prompt = rows.prompts[row], answer = rows.positions[row] - prompt + 1, before = prompt_blocks(prompt),
              blocks = before + prompt_blocks(answer);
    const int begin = (int)((long long)blocks * share / shares), end = (int)((long long)blocks * (share + 1) / shares);
    float q[at_once][8], most[at_once], sum[at_once], values[at_once][8];
    const float scale = 1.44269504f * rsqrtf((float)HEAD_WIDTH);
#pragma unroll
    for (int h = 0; h < at_once; ++h) {
        most[h] = nothing, sum[h] = 0;
        Eight of = {};
        if (here) of = eight(qkv + (long long)row * per_row + (first_head + h) * HEAD_WIDTH + part * 8);
        for (int i = 0; i < 8; ++i) q[h][i] = scale * wide(of.at[i]), values[h][i] = 0;
    }
    constexpr int stride = 2 * KV_HEADS * HEAD_WIDTH;
    for (int b = begin + own_warp; b < end; b += attention_warps) {
        const long long block = rows.table[row * rows.stride + b];
        const int used =
            min(block_tokens, b < before ? prompt - b * block_tokens : answer - (b - before) * block_tokens);
        const number* keys =
            *rows.cache + (block * LAYERS + layer) * block_tokens * stride + kv_head * HEAD_WIDTH + part * 8;
#pragma unroll
        for (int t = 0; t < block_tokens; t += ahead * tokens_at_once) {
            Eight k[ahead], v[ahead];
#pragma unroll
            for (int a = 0; a < ahead; ++a) {
                const int at = t + a * tokens_at_once + token;
                k[a] = {}, v[a] = {};
                if (here && at < used) {
                    k[a] = eight(keys + at * stride);
                    v[a] = eight(keys + at * stride + KV_HEADS * HEAD_WIDTH);
                }
            }
#pragma unroll
            for (int h = 0; h < at_once; ++h) {
                float score[ahead], top = most[h];
#pragma unroll
                for (int a = 0; a < ahead; ++a) {
                    score[a] = 0;
                    for (int i = 0; i < 8; ++i) score[a] += q[h][i] * wide(k[a].at[i]);
                    score[a] = sum_of_lanes(score[a], lanes);
                    if (t + a * tokens_at_once + token >= used || token >= tokens_at_once) score[a] = nothing;
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
        }
    }
    __shared__ Partial shared[attention_warps];
#pragma unroll
    for (int h = 0; h < at_once; ++h) {  // the tokens of a warp, then the warps
        float top_of_warp = most[h];
        for (int step = lanes; step < warp; step *= 2)
            top_of_warp = fmaxf(top_of_warp, __shfl_xor_sync(~0u, top_of_warp, step));
        const float by = weight_of(most[h], top_of_warp);
        sum[h] *= by;
        for (int step = lanes; step < warp; step *= 2) sum[h] += __shfl_xor_sync(~0u, sum[h], step);
        for (int i = 0; i < 8; ++i) {
            values[h][i] *= by;
            for (int step = lanes; step < warp; step *= 2) values[h][i] += __shfl_xor_sync(~0u, values[h][i], step);
            if (token == 0 && part * 8 < HEAD_WIDTH) shared[own_warp].values[h][part * 8 + i] = values[h][i];
        }
        if (lane == 0) shared[own_warp].most[h] = top_of_warp, shared[own_warp].sum[h] = sum[h];
    }
    __syncthreads();
    Partial* own = partials + ((long long)row * gridDim.y + group) * shares;
    out += (long long)row * HEADS * HEAD_WIDTH + first_head * HEAD_WIDTH;
    __shared__ float weights[at_once][warp], total[at_once], top[at_once];
    const auto join = [&](const Partial* from, int n, const auto& put) {  // n: at most 32
        for (int h = own_warp; h < at_once; h += attention_warps) {
            const float of = lane < n ? from[lane].most[h] : nothing;
            const float all = most_of_lanes(of), by = weight_of(of, all);
            weights[h][lane] = by;
            const float sum_of_all = sum_of_lanes(lane < n ? by * from[lane].sum[h] : 0, warp);
            if (lane == 0) total[h] = sum_of_all, top[h] = all;
        }
        __syncthreads();
        for (int e = threadIdx.x; e < at_once * HEAD_WIDTH; e += blockDim.x) {
            const int h = e / HEAD_WIDTH, i = e % HEAD_WIDTH;
            float value = 0;
#pragma unroll 8
            for (int s = 0; s < n; ++s) value += weights[h][s] * from[s].values[h][i];
            put(h, i, value);
        }
    };
    const auto finish = [&](int h, int i, float value) { out[h * HEAD_WIDTH + i] = narrow(value / total[h]); };
    if (shares == 1) return join(shared, attention_warps, finish);
    join(shared, attention_warps, [&](int h, int i, float value) {
        own[share].values[h][i] = value;
        if (i == 0) own[share].most[h] = top[h], own[share].sum[h] = total[h];
    });
    __threadfence();
    __syncthreads();
    __shared__ bool last;
    if (threadIdx.x == 0) last = atomicAdd(&done[row * gridDim.y + group], 1) == shares - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (threadIdx.x == 0) done[row * gridDim.y + group] = 0;
    join(own, shares, finish);
}
