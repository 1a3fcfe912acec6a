// Follows numbers.cu: products of few rows, y = x W^T, bound by reading W: [out][in]. A warp takes a part of a row of W.
constexpr int product_warps = 8, in_flight = 4;  // in_flight: of a lane, pieces of W

__device__ number gated(float gate, float up) { return narrow(rounded(gate / (1 + expf(-gate))) * up); }

__device__ void put(number* to, float x) { *to = narrow(x); }
#ifdef NARROW
__device__ void put(float* to, float x) { *to = x; }
#endif

// A lane's share of the products of a row of W with each row of x. The first pieces of W are on their way before x is
// there.
template <int rows> struct Dots {
    float of[rows] = {};
    __device__ void add(const Eight& w, const number* x, int in) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            const Eight from = eight(x + (long long)r * in);
            for (int e = 0; e < 8; ++e) of[r] += wide(w.at[e]) * wide(from.at[e]);
        }
    }
    __device__ Dots(const number* w, const number* x, int in, int split) {
        const int stride = 8 * warp * split, begin = 8 * (threadIdx.x % (warp * split));
        Eight first[in_flight];
#pragma unroll
        for (int p = 0; p < in_flight; ++p)
            if (begin + p * stride < in) first[p] = eight(w + begin + p * stride);
        wait_for_previous();
#pragma unroll
        for (int p = 0; p < in_flight; ++p)
            if (begin + p * stride < in) add(first[p], x + begin + p * stride, in);
#pragma unroll in_flight
        for (int i = begin + in_flight * stride; i < in; i += stride) add(eight(w + i), x + i, in);
    }
};

// `split` warps share a row of W. gate: W is [gate | up][in], y = silu(x gate^T) (x up^T); a block takes both.
template <int rows, bool gate, class Out>
__device__ void product(const number* weights, const number* x, Out* y, int in, int out, int split) {
    let_next_begin();
    __shared__ float sums[rows][product_warps];
    const int outputs = product_warps / split / (gate ? 2 : 1), first = blockIdx.x * outputs;
    const int own_warp = threadIdx.x / warp, own = own_warp / split, o = min(first + own % outputs, out - 1);
    const Dots<rows> dots(weights + (long long)(o + own / outputs * out) * in, x, in, split);
    for (int r = 0; r < rows; ++r) {
        const float sum = sum_of_lanes(dots.of[r], warp);
        if (threadIdx.x % warp == 0) sums[r][own_warp] = sum;
    }
    __syncthreads();
    const int r = threadIdx.x / outputs, at = threadIdx.x % outputs;
    if (r >= rows || first + at >= out) return;
    float value = 0, up = 0;
    for (int part = 0; part < split; ++part) {
        value += sums[r][at * split + part];
        if (gate) up += sums[r][(outputs + at) * split + part];
    }
    put(y + (long long)r * out + first + at, gate ? wide(gated(rounded(value), rounded(up))) : value);
}

#define FOR_ROWS(n)                                                                                                   \
    extern "C" __global__ void product_##n(const number* w, const number* x, number* y, int in, int out, int split) { \
        product<n, false>(w, x, y, in, out, split);                                                                   \
    }                                                                                                                 \
    extern "C" __global__ void wide_product_##n(const number* w, const number* x, float* y, int in, int out,          \
                                                int split) {                                                          \
        product<n, false>(w, x, y, in, out, split);                                                                   \
    }                                                                                                                 \
    extern "C" __global__ void gated_product_##n(const number* w, const number* x, number* y, int in, int out,        \
                                                 int split) {                                                         \
        product<n, true>(w, x, y, in, out, split);                                                                    \
    }
FOR_ROWS(1)
FOR_ROWS(2)
