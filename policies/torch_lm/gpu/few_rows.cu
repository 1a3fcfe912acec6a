// Follows numbers.cu: products of few rows, x W^T. A warp makes an output, so the weights are read once.
template <int rows> struct Dots { float of[rows]; };

template <int rows>
__device__ Dots<rows> dots(const number* __restrict__ weight, const number* __restrict__ x, int in) {
    Dots<rows> sum = {};
    const int lane = threadIdx.x % warp;
#pragma unroll 4
    for (int i = 8 * lane; i < in; i += 8 * warp) {
        const Eight w = eight(weight + i);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            const Eight from = eight(x + (long long)r * in + i);
            for (int e = 0; e < 8; ++e) sum.of[r] += wide(w.at[e]) * wide(from.at[e]);
        }
    }
    for (int r = 0; r < rows; ++r) sum.of[r] = sum_of_lanes(sum.of[r], warp);
    return sum;
}

template <int rows> __device__ void few_rows(const number* weights, const number* x, number* y, int in, int out) {
    const int o = blockIdx.x * (blockDim.x / warp) + threadIdx.x / warp;
    if (o >= out) return;
    const Dots<rows> sum = dots<rows>(weights + (long long)o * in, x, in);
    if (threadIdx.x % warp == 0)
        for (int r = 0; r < rows; ++r) y[(long long)r * out + o] = narrow(sum.of[r]);
}

__device__ number gated(float gate, float up) { return narrow(rounded(gate / (1 + expf(-gate))) * up); }

// weights: [gate | up][in]; y: silu(gate) up
template <int rows> __device__ void few_rows_gated(const number* weights, const number* x, number* y) {
    const int o = blockIdx.x * (blockDim.x / warp) + threadIdx.x / warp;
    if (o >= MLP) return;
    const Dots<rows> gate = dots<rows>(weights + (long long)o * WIDTH, x, WIDTH),
                     up = dots<rows>(weights + (long long)(MLP + o) * WIDTH, x, WIDTH);
    if (threadIdx.x % warp == 0)
        for (int r = 0; r < rows; ++r) y[(long long)r * MLP + o] = gated(rounded(gate.of[r]), rounded(up.of[r]));
}

#define FOR_ROWS(n)                                                                                               \
    extern "C" __global__ void few_rows_##n(const number* weights, const number* x, number* y, int in, int out) { \
        few_rows<n>(weights, x, y, in, out);                                                                      \
    }                                                                                                             \
    extern "C" __global__ void few_rows_gated_##n(const number* weights, const number* x, number* y) {            \
        few_rows_gated<n>(weights, x, y);                                                                         \
    }
FOR_ROWS(1)
FOR_ROWS(2)
FOR_ROWS(4)
