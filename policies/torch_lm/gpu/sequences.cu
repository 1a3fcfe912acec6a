// Follows draw.cu: what whole sequences need between LibTorch's products and attention, and its gradients
// (transformer/gpu_operations.cpp).
struct alignas(4 * sizeof(number)) Four {
    number at[4];
};
__device__ const Four& four(const number* at) { return *reinterpret_cast<const Four*>(at); }
__device__ Four& four(number* at) { return *reinterpret_cast<Four*>(at); }

constexpr int half_head = HEAD_WIDTH / 2, heads_of_row = HEADS + 2 * KV_HEADS, quads = half_head / 4;

// A thread's four pairs of a head: where they lie in qkv and in the heads' own tensors.
struct Quad {
    int first, head;
    long long row;
    __device__ explicit Quad(long long at)
        : first(4 * (int)(at % quads)), head((int)(at / quads % heads_of_row)), row(at / quads / heads_of_row) {}
    template <class T> __device__ T* of(T* q, T* k, T* v) const {
        if (head < HEADS) return q + (row * HEADS + head) * HEAD_WIDTH + first;
        if (head < HEADS + KV_HEADS) return k + (row * KV_HEADS + head - HEADS) * HEAD_WIDTH + first;
        return v + (row * KV_HEADS + head - HEADS - KV_HEADS) * HEAD_WIDTH + first;
    }
    template <class T> __device__ T* of(T* qkv) const { return qkv + row * per_row + head * HEAD_WIDTH + first; }
    // direction: 1, or -1 to turn back
    __device__ void turn(Four& a, Four& b, const float* rotary, float direction) const {
        if (head >= HEADS + KV_HEADS) return;
        const float *cosine = rotary + row * HEAD_WIDTH + first, *sine = cosine + half_head;
        for (int i = 0; i < 4; ++i) {
            const float x = wide(a.at[i]), y = wide(b.at[i]), up = direction * sine[i];
            a.at[i] = narrow(x * cosine[i] - y * up), b.at[i] = narrow(y * cosine[i] + x * up);
        }
    }
};

// q, k, v: [rows][heads or kv_heads][head_width], q and k turned
extern "C" __global__ void part_heads(const number* qkv, const float* rotary, number* q, number* k, number* v,
                                      long long rows) {
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= rows * heads_of_row * quads) return;
    const Quad own(at);
    const number* from = own.of(qkv);
    Four a = four(from), b = four(from + half_head);
    own.turn(a, b, rotary, 1);
    number* to = own.of(q, k, v);
    four(to) = a, four(to + half_head) = b;
}

extern "C" __global__ void join_heads(const number* q, const number* k, const number* v, const float* rotary,
                                      number* qkv, long long rows) {
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= rows * heads_of_row * quads) return;
    const Quad own(at);
    const number* from = own.of(q, k, v);
    Four a = four(from), b = four(from + half_head);
    own.turn(a, b, rotary, -1);
    number* to = own.of(qkv);
    four(to) = a, four(to + half_head) = b;
}

extern "C" __global__ void gate_gradient(const number* gate_up, const number* d_hidden, number* d_gate_up, int rows) {
    const long long at = 8 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
    if (at >= (long long)rows * MLP) return;
    const long long gate_at = at / MLP * 2 * MLP + at % MLP;
    Eight gate = eight(gate_up + gate_at), up = eight(gate_up + gate_at + MLP);
    const Eight change = eight(d_hidden + at);
    for (int i = 0; i < 8; ++i) {
        const float x = wide(gate.at[i]), d = wide(change.at[i]), share = 1 / (1 + expf(-x));
        gate.at[i] = narrow(d * wide(up.at[i]) * share * (1 + x * (1 - share)));
        up.at[i] = narrow(d * rounded(x * share));
    }
    eight(d_gate_up + gate_at) = gate, eight(d_gate_up + gate_at + MLP) = up;
}

// Of add_norm, whose sum was x and whose outputs' gradients are d_x and d_y: the gradient of both its inputs, and of
// the weight a part a block of threads: [blocks][WIDTH].
extern "C" __global__ void __launch_bounds__(norm_threads)
    norm_gradient(const number* x, const number* weight, const number* d_x, const number* d_y, number* d,
                  float* d_weight, int rows) {
    constexpr int pieces = (WIDTH / 8 + norm_threads - 1) / norm_threads;
    __shared__ float shared[2 * warp];
    float of_weight[pieces][8] = {};
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        Eight held[pieces], change[pieces];
        float squares = 0, along = 0;  // sums of x^2 and of x weight d_y
#pragma unroll
        for (int p = 0; p < pieces; ++p) {
            const int at = 8 * (p * norm_threads + threadIdx.x);
            if (at >= WIDTH) break;
            held[p] = eight(x + row * WIDTH + at), change[p] = eight(d_y + row * WIDTH + at);
            const Eight by = eight(weight + at);
            for (int i = 0; i < 8; ++i) {
                const float value = wide(held[p].at[i]);
                squares += value * value, along += value * wide(by.at[i]) * wide(change[p].at[i]);
            }
        }
        sums_of_block(squares, along, shared);
        const float scale = rsqrtf(squares / WIDTH + EPSILON), back = along * scale * scale * scale / WIDTH;
#pragma unroll
        for (int p = 0; p < pieces; ++p) {
            const int at = 8 * (p * norm_threads + threadIdx.x);
            if (at >= WIDTH) break;
            const Eight by = eight(weight + at), beside = eight(d_x + row * WIDTH + at);
            for (int i = 0; i < 8; ++i) {
                const float value = wide(held[p].at[i]), own = wide(change[p].at[i]);
                of_weight[p][i] += own * value * scale;
                held[p].at[i] = narrow(wide(beside.at[i]) + own * wide(by.at[i]) * scale - value * back);
            }
            eight(d + row * WIDTH + at) = held[p];
        }
    }
#pragma unroll
    for (int p = 0; p < pieces; ++p)
        for (int i = 0; i < 8; ++i)
            if (const int at = 8 * (p * norm_threads + threadIdx.x) + i; at < WIDTH)
                d_weight[blockIdx.x * WIDTH + at] = of_weight[p][i];
}
