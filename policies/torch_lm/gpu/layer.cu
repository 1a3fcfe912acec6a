// Follows products.cu: what lies between the products and attention.
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
    let_next_begin();
    wait_for_previous();
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
    let_next_begin();
    Eight held[pieces], by[pieces];
#pragma unroll
    for (int p = 0; p < pieces; ++p)
        if (const int at = 8 * (p * norm_threads + threadIdx.x); at < WIDTH) by[p] = eight(weight + at);
    wait_for_previous();
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
        for (int i = 0; i < 8; ++i) held[p].at[i] = narrow(wide(held[p].at[i]) * scale * wide(by[p].at[i]));
        eight(y + at) = held[p];
    }
}

// silu(gate) up, of [rows][gate | up]
extern "C" __global__ void gate(const number* gate_up, number* hidden, int rows) {
    let_next_begin();
    wait_for_previous();
    const long long at = 8 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
    if (at >= (long long)rows * MLP) return;
    const long long row = at / MLP, i = at % MLP;
    Eight g = eight(gate_up + row * 2 * MLP + i);
    const Eight up = eight(gate_up + row * 2 * MLP + MLP + i);
    for (int e = 0; e < 8; ++e) g.at[e] = gated(wide(g.at[e]), wide(up.at[e]));
    eight(hidden + at) = g;
}
