// Follows heads.cu.
// Attention of one new token a row over its blocks, whose keys and values it adds. A block of threads takes some heads
// of one key head and a share of the row's blocks (Flash-Decoding, Dao et al. 2023); the last of a row's shares joins
// them.
constexpr int tokens_at_once = warp / lanes < block_tokens ? warp / lanes : block_tokens;
constexpr int ahead =
    block_tokens / tokens_at_once < 4 ? block_tokens / tokens_at_once : 4;  // tokens of a lane in flight
constexpr int token_stride = 2 * KV_HEADS * HEAD_WIDTH;                     // from a token's keys to the next token's

struct Partial {  // as Softmax
    float most[at_once], sum[at_once], values[at_once][HEAD_WIDTH];
};

__device__ float most_of_lanes(float x) {
    for (int step = warp / 2; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
    return x;
}

// Into L2, what a warp will read of a block: keys and values of one head.
__device__ void fetch(const number* keys, int tokens) {
    constexpr int line = 128 / sizeof(number), lines = (HEAD_WIDTH + line - 1) / line;
    for (int i = threadIdx.x % warp; i < 2 * tokens * lines; i += warp)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(keys + i / lines * (KV_HEADS * HEAD_WIDTH) + i % lines * line));
}

extern "C" __global__ void __launch_bounds__(warp* attention_warps)
    attention(Rows rows, Qkv qkv, number* out, int layer, Partial* partials, int* done) {
    let_next_begin();
    const int row = blockIdx.z, group = blockIdx.y, share = blockIdx.x, shares = gridDim.x;
    const int kv_head = group / chunks, first_head = kv_head * queries + group % chunks * at_once;
    const int lane = threadIdx.x % warp, own_warp = threadIdx.x / warp, part = lane % lanes, token = lane / lanes;
    const bool here = part * 8 < HEAD_WIDTH && token < tokens_at_once;
    const int prompt = rows.prompts[row], answer = rows.positions[row] - prompt + 1, before = prompt_blocks(prompt),
              blocks = before + prompt_blocks(answer);
    const int begin = (int)((long long)blocks * share / shares), end = (int)((long long)blocks * (share + 1) / shares);
    const auto keys_of = [&](int b) {
        const long long block = rows.table[row * rows.stride + b];
        return *rows.cache + (block * LAYERS + layer) * block_tokens * token_stride + kv_head * HEAD_WIDTH;
    };
    const auto tokens_of = [&](int b) {  // with the new one
        return min(block_tokens, b < before ? prompt - b * block_tokens : answer - (b - before) * block_tokens);
    };
    for (int b = begin + own_warp; b < end; b += attention_warps) fetch(keys_of(b), tokens_of(b));
    wait_for_previous();
    const bool has_new = share == shares - 1;
    __shared__ alignas(16) number heads[at_once + 2][HEAD_WIDTH];  // q, then the new token's key and value
    for (int h = own_warp; h < at_once + (has_new ? 2 : 0); h += attention_warps)
        place_head(qkv, row, h < at_once ? first_head + h : HEADS + (h - at_once) * KV_HEADS + kv_head, heads[h]);
    __syncthreads();
    Softmax own;
    const float scale = 1.44269504f * rsqrtf((float)HEAD_WIDTH);
#pragma unroll
    for (int h = 0; h < at_once; ++h) {
        own.most[h] = nothing, own.sum[h] = 0;
        Eight of = {};
        if (here) of = eight(heads[h] + part * 8);
        for (int i = 0; i < 8; ++i) own.q[h][i] = scale * wide(of.at[i]), own.values[h][i] = 0;
    }
    for (int b = begin + own_warp; b < end; b += attention_warps) {
        const number* keys = keys_of(b) + part * 8;
        const int tokens = tokens_of(b) - (b == blocks - 1);
#pragma unroll
        for (int t = 0; t < block_tokens; t += ahead * tokens_at_once) {
            Eight k[ahead] = {}, v[ahead] = {};
            bool is_token[ahead];
#pragma unroll
            for (int a = 0; a < ahead; ++a) {
                const int at = t + a * tokens_at_once + token;
                is_token[a] = at < tokens && token < tokens_at_once;
                if (!here || !is_token[a]) continue;
                k[a] = eight(keys + at * token_stride);
                v[a] = eight(keys + at * token_stride + KV_HEADS * HEAD_WIDTH);
            }
            own.take(k, v, is_token);
        }
    }
    if (has_new && own_warp == 0) {
        Eight k[1] = {}, v[1] = {};
        const bool is_token[1] = {token == 0};
        if (here && token == 0) {
            k[0] = eight(heads[at_once] + part * 8), v[0] = eight(heads[at_once + 1] + part * 8);
            number* to = keys_of(blocks - 1) + (tokens_of(blocks - 1) - 1) * token_stride + part * 8;
            if (group % chunks == 0) eight(to) = k[0], eight(to + KV_HEADS * HEAD_WIDTH) = v[0];
        }
        own.take(k, v, is_token);
    }
    __shared__ Partial shared[attention_warps];
#pragma unroll
    for (int h = 0; h < at_once; ++h) {  // the tokens of a warp, then the warps
        float top_of_warp = own.most[h];
        for (int step = lanes; step < warp; step *= 2)
            top_of_warp = fmaxf(top_of_warp, __shfl_xor_sync(~0u, top_of_warp, step));
        const float by = weight_of(own.most[h], top_of_warp);
        own.sum[h] *= by;
        for (int step = lanes; step < warp; step *= 2) own.sum[h] += __shfl_xor_sync(~0u, own.sum[h], step);
        for (int i = 0; i < 8; ++i) {
            float& value = own.values[h][i];
            value *= by;
            for (int step = lanes; step < warp; step *= 2) value += __shfl_xor_sync(~0u, value, step);
            if (token == 0 && part * 8 < HEAD_WIDTH) shared[own_warp].values[h][part * 8 + i] = value;
        }
        if (lane == 0) shared[own_warp].most[h] = top_of_warp, shared[own_warp].sum[h] = own.sum[h];
    }
    __syncthreads();
    Partial* mine = partials + ((long long)row * gridDim.y + group) * shares;
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
        mine[share].values[h][i] = value;
        if (i == 0) mine[share].most[h] = top[h], mine[share].sum[h] = total[h];
    });
    __threadfence();
    __syncthreads();
    __shared__ bool last;
    if (threadIdx.x == 0) last = atomicAdd(&done[row * gridDim.y + group], 1) == shares - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (threadIdx.x == 0) done[row * gridDim.y + group] = 0;
    join(mine, shares, finish);
}
