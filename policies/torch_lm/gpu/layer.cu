// Follows few_rows.cu: what lies between the products and attention.
// What the rows of a step are. On the device; [rows] unless said.
struct Rows {
    int *ids, *positions;        // of the token to run; advanced by `draw`
    const int *prompts, *first;  // tokens of the prompt; position at the chunk's first step
    const int* table;            // [rows][stride]: blocks of the prompt, then of the answer
    int stride;
    number* const* cache;  // where it lies now: [blocks][LAYERS][16][keys, values][KV_HEADS][HEAD_WIDTH]
};

__device__ int prompt_blocks(int tokens) { return (tokens + block_tokens - 1) / block_tokens; }

// x = embedding of the token, and the cosines and sines of its position: [rows][HEAD_WIDTH]
extern "C" __global__ void embed(Rows rows, const number* table, const double* frequencies, number* x, float* rotary) {
    const int row = blockIdx.x;
    const number* from = table + (long long)rows.ids[row] * WIDTH;
    for (int i = 8 * threadIdx.x; i < WIDTH; i += 8 * blockDim.x)
        eight(x + (long long)row * WIDTH + i) = eight(from + i);
    for (int i = threadIdx.x; i < HEAD_WIDTH / 2; i += blockDim.x) {
        double sine, cosine;
        sincos(rows.positions[row] * frequencies[i], &sine, &cosine);
        rotary[row * HEAD_WIDTH + i] = (float)cosine;
        rotary[row * HEAD_WIDTH + HEAD_WIDTH / 2 + i] = (float)sine;
    }
}

// sum = x + change (null: none, and no sum is written); y = RMSNorm(sum) weight. sum may be x.
extern "C" __global__ void __launch_bounds__(norm_threads)
    add_norm(const number* x, const number* change, const number* weight, number* sum, number* y) {
    constexpr int pieces = (WIDTH / 8 + norm_threads - 1) / norm_threads;
    __shared__ float shared[warp];
    x += (long long)blockIdx.x * WIDTH, y += (long long)blockIdx.x * WIDTH;
    if (change) change += (long long)blockIdx.x * WIDTH, sum += (long long)blockIdx.x * WIDTH;
    Eight held[pieces];
    float squares = 0;
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
        const int at = 8 * (p * norm_threads + threadIdx.x);
        if (at >= WIDTH) break;
        held[p] = eight(x + at);
        if (change) {
            const Eight more = eight(change + at);
            for (int i = 0; i < 8; ++i) held[p].at[i] = narrow(wide(held[p].at[i]) + wide(more.at[i]));
            eight(sum + at) = held[p];
        }
        for (int i = 0; i < 8; ++i) squares += wide(held[p].at[i]) * wide(held[p].at[i]);
    }
    const float scale = rsqrtf(of_block(squares, Add(), shared) / WIDTH + EPSILON);
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
        const int at = 8 * (p * norm_threads + threadIdx.x);
        if (at >= WIDTH) break;
        const Eight by = eight(weight + at);
        for (int i = 0; i < 8; ++i) held[p].at[i] = narrow(wide(held[p].at[i]) * scale * wide(by.at[i]));
        eight(y + at) = held[p];
    }
}

// Adds the bias, norms and rotates heads of q and k; q stays in qkv, k and v go to the cache. A warp a head.
extern "C" __global__ void place_heads(Rows rows, number* qkv, const number* bias, const number* q_norm,
                                       const number* k_norm, const float* rotary, int layer) {
    constexpr int half = HEAD_WIDTH / 2, pairs = (half + warp - 1) / warp;
    const int row = blockIdx.x, lane = threadIdx.x % warp, head = blockIdx.y * (blockDim.x / warp) + threadIdx.x / warp;
    if (head >= HEADS + 2 * KV_HEADS) return;
    number* from = qkv + (long long)row * per_row + head * HEAD_WIDTH;
    float a[pairs], b[pairs], squares = 0;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
        const int i = p * warp + lane;
        const bool here = i < half;
        a[p] = here ? wide(from[i]) : 0, b[p] = here ? wide(from[half + i]) : 0;
#ifdef QKV_BIAS
        if (here)
            a[p] = rounded(a[p] + wide(bias[head * HEAD_WIDTH + i])),
            b[p] = rounded(b[p] + wide(bias[head * HEAD_WIDTH + half + i]));
#endif
        squares += a[p] * a[p] + b[p] * b[p];
    }
#ifdef QK_NORM
    if (head < HEADS + KV_HEADS) {
        const number* norm = head < HEADS ? q_norm : k_norm;
        const float scale = rsqrtf(sum_of_lanes(squares, warp) / HEAD_WIDTH + EPSILON);
        for (int p = 0; p < pairs; ++p)
            if (const int i = p * warp + lane; i < half)
                a[p] = rounded(a[p] * scale * wide(norm[i])), b[p] = rounded(b[p] * scale * wide(norm[half + i]));
    }
#endif
    number* to = from;
    if (head >= HEADS) {
        const int position = rows.positions[row], prompt = rows.prompts[row], behind = position - prompt;
        const int number_of_block =
            behind < 0 ? position / block_tokens : prompt_blocks(prompt) + behind / block_tokens;
        const long long block = rows.table[row * rows.stride + number_of_block];
        const int lane_of_block = (behind < 0 ? position : behind) % block_tokens;
        to = *rows.cache + ((block * LAYERS + layer) * block_tokens + lane_of_block) * (2 * KV_HEADS * HEAD_WIDTH) +
             (head - HEADS) * HEAD_WIDTH;
    }
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
        const int i = p * warp + lane;
        if (i >= half) break;
        if (head < HEADS + KV_HEADS) {
            const float cosine = rotary[row * HEAD_WIDTH + i], sine = rotary[row * HEAD_WIDTH + half + i];
            to[i] = narrow(a[p] * cosine - b[p] * sine), to[half + i] = narrow(b[p] * cosine + a[p] * sine);
        } else to[i] = narrow(a[p]), to[half + i] = narrow(b[p]);
    }
}

// silu(gate) up, of [rows][gate | up]
extern "C" __global__ void gate(const number* gate_up, number* hidden, int rows) {
    const long long at = 8 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
    if (at >= (long long)rows * MLP) return;
    const long long row = at / MLP, i = at % MLP;
    Eight g = eight(gate_up + row * 2 * MLP + i);
    const Eight up = eight(gate_up + row * 2 * MLP + MLP + i);
    for (int e = 0; e < 8; ++e) g.at[e] = gated(wide(g.at[e]), wide(up.at[e]));
    eight(hidden + at) = g;
}
