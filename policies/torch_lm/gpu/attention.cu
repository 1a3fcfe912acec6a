// Follows softmax_tiles.cu.
// Attention of one new token a row over its blocks, whose keys and values it adds. A block of threads takes some heads
// of one key head and a share of the row's blocks (Flash-Decoding, Dao et al. 2023); the last of a row's shares joins
// them.
__device__ float most_of_lanes(float x) {
    for (int step = warp / 2; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
    return x;
}

// Into L2, what a warp will read of a block.
__device__ void fetch(const Block& block) {
    constexpr int line = 128 / sizeof(number), lines = (HEAD_WIDTH + line - 1) / line;
    for (int i = threadIdx.x % warp; i < 2 * block.tokens * lines; i += warp)
        asm volatile(
            "prefetch.global.L2 [%0];" ::"l"(block.keys + i / lines * (KV_HEADS * HEAD_WIDTH) + i % lines * line));
}

// Joins parts of a row's tokens, at most 32, by all threads of a block.
template <int heads> struct Join {
    float weights[heads][warp], total[heads], top[heads];
    template <class Put> __device__ void run(const Partial<heads>* from, int n, const Put& put) {
        const int lane = threadIdx.x % warp;
        for (int h = threadIdx.x / warp; h < heads; h += attention_warps) {
            const float of = lane < n ? from[lane].most[h] : nothing, all = most_of_lanes(of), by = weight_of(of, all);
            weights[h][lane] = by;
            const float sum = sum_of_lanes(lane < n ? by * from[lane].sum[h] : 0, warp);
            if (lane == 0) total[h] = sum, top[h] = all;
        }
        __syncthreads();
        for (int e = threadIdx.x; e < heads * HEAD_WIDTH; e += blockDim.x) {
            const int h = e / HEAD_WIDTH, i = e % HEAD_WIDTH;
            float value = 0;
#pragma unroll 8
            for (int s = 0; s < n; ++s) value += weights[h][s] * from[s].values[h][i];
            put(h, i, value);
        }
    }
};

// Whether this block of threads is the last of its row and heads; what the others wrote is there then.
__device__ bool is_last(int* done, int shares) {
    __threadfence();
    __syncthreads();
    __shared__ bool last;
    if (threadIdx.x == 0) {
        last = atomicAdd(done, 1) == shares - 1;
        if (last) *done = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

template <int at_once>
__device__ void attend(const Rows& rows, const Qkv& qkv, number* out, int layer, void* partials, int* done) {
    constexpr int chunks = HEADS / KV_HEADS / at_once;
    let_next_begin();
    // `draw`, the last kernel of a step, writes positions, and no step begins before it ends
    const int row = blockIdx.z, group = blockIdx.y, share = blockIdx.x, shares = gridDim.x;
    const int kv_head = group / chunks, first_head = (kv_head * chunks + group % chunks) * at_once;
    const int own_warp = threadIdx.x / warp;
    const int prompt = rows.prompts[row], answer = rows.positions[row] - prompt + 1, before = prompt_blocks(prompt),
              blocks = before + prompt_blocks(answer);
    const int begin = (int)((long long)blocks * share / shares), end = (int)((long long)blocks * (share + 1) / shares);
    __shared__ alignas(16) number heads[at_once + 2][HEAD_WIDTH];  // q, then the new token's key and value
    const auto block_of = [&](int b) {
        const long long number_of_block = rows.table[row * rows.stride + b];
        return Block{
            *rows.cache + (number_of_block * LAYERS + layer) * block_tokens * token_stride + kv_head * HEAD_WIDTH,
            min(block_tokens, b < before ? prompt - b * block_tokens : answer - (b - before) * block_tokens),
            b == blocks - 1 ? heads[at_once] : nullptr};
    };
    for (int b = begin + own_warp; b < end; b += attention_warps) fetch(block_of(b));
    wait_for_previous();
    const bool has_new = share == shares - 1;
    for (int h = own_warp; h < at_once + (has_new ? 2 : 0); h += attention_warps)
        place_head(qkv, row, h < at_once ? first_head + h : HEADS + (h - at_once) * KV_HEADS + kv_head, heads[h]);
    __syncthreads();
    Softmax<at_once> own(heads);
    for (int b = begin + own_warp; b < end; b += attention_warps) own.take(block_of(b));
    if (has_new && group % chunks == 0 && threadIdx.x < 2 * HEAD_WIDTH / 8) {
        const int part = threadIdx.x / (HEAD_WIDTH / 8), at = threadIdx.x % (HEAD_WIDTH / 8) * 8;
        const Block last = block_of(blocks - 1);
        eight(last.keys + (last.tokens - 1) * token_stride + part * KV_HEADS * HEAD_WIDTH + at) =
            eight(heads[at_once + part] + at);
    }
    __shared__ Partial<at_once> of_warps[attention_warps];
    __shared__ Join<at_once> join;
    own.leave(of_warps[own_warp]);
    __syncthreads();
    out += (long long)row * HEADS * HEAD_WIDTH + first_head * HEAD_WIDTH;
    const auto finish = [&](int h, int i, float value) { out[h * HEAD_WIDTH + i] = narrow(value / join.total[h]); };
    if (shares == 1) return join.run(of_warps, attention_warps, finish);
    const int of_row = row * gridDim.y + group;
    Partial<at_once>*of_shares = (Partial<at_once>*)partials + (long long)of_row * shares, *mine = of_shares + share;
    join.run(of_warps, attention_warps, [&](int h, int i, float value) {
        mine->values[h][i] = value;
        if (i == 0) mine->most[h] = join.top[h], mine->sum[h] = join.total[h];
    });
    if (is_last(done + of_row, shares)) join.run(of_shares, shares, finish);
}

#define ATTENTION(name, heads)                                                        \
    extern "C" __global__ void __launch_bounds__(warp* attention_warps)               \
        name(Rows rows, Qkv qkv, number* out, int layer, void* partials, int* done) { \
        attend<heads>(rows, qkv, out, layer, partials, done);                         \
    }
ATTENTION(attention_of_few_rows, HEADS_OF_FEW_ROWS)
ATTENTION(attention_of_many_rows, HEADS_OF_MANY_ROWS)
