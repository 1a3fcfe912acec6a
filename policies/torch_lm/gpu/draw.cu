// Follows filter.cu: a token a row (sampling/token_draw.hpp).
struct Drawn {
    int id;
    float logp;
};

// A row's logits in slices, each measured by a block: the largest, where it is first, and the sum of
// exp((logit - largest) / temperature), NaN where a logit is not finite (sampling/token_draw.cpp has the same rule).
constexpr int slice = 8192, slices = (VOCABULARY + slice - 1) / slice;
__device__ float no_number() { return __int_as_float(0x7fc00000); }
struct Slice {
    double sum;
    float most;
    int at;
};

extern "C" __global__ void __launch_bounds__(draw_threads) measure(const float* logits, const Rule* rules, Slice* to) {
    __shared__ float shared[warp];
    __shared__ double wide_shared[warp];
    __shared__ int first;
    let_next_begin();
    wait_for_previous();
    const int row = blockIdx.y, begin = blockIdx.x * slice, end = min(VOCABULARY, begin + slice);
    logits += (long long)row * VOCABULARY;
    constexpr int own = slice / draw_threads;
    float held[own], most = nothing;
    int best = end;
#pragma unroll
    for (int p = 0; p < own; ++p) {
        const int i = begin + p * draw_threads + threadIdx.x;
        held[p] = i < end ? logits[i] : nothing;
        if (held[p] > most) most = held[p], best = i;
    }
    if (threadIdx.x == 0) first = end - 1;
    const float top = of_block(most, Most(), shared);
    if (most == top) atomicMin(&first, best);
    const float divisor = rules[row].temperature > 0 ? (float)rules[row].temperature : 1;
    double sum = 0;
#pragma unroll
    for (int p = 0; p < own; ++p)
        if (begin + p * draw_threads + threadIdx.x < end) sum += isfinite(held[p]) ? expf((held[p] - top) / divisor) : no_number();
    sum = of_block(sum, Add(), wide_shared);
    if (threadIdx.x == 0) to[row * slices + blockIdx.x] = {sum, top, first};
}

// Sums of a block's numbers up to each thread's, itself included.
__device__ double sums_up_to(double x) {
    __shared__ double of_warp[warp];
    const int lane = threadIdx.x % warp, number_of_warp = threadIdx.x / warp;
    for (int step = 1; step < warp; step *= 2) {
        const double left = __shfl_up_sync(~0u, x, step);
        if (lane >= step) x += left;
    }
    __syncthreads();
    if (lane == warp - 1) of_warp[number_of_warp] = x;
    __syncthreads();
    for (int i = 0; i < number_of_warp; ++i) x += of_warp[i];
    return x;
}

extern "C" __global__ void __launch_bounds__(draw_threads)
    draw(Rows rows, const float* logits, const Rule* rules, const double* uniforms, const Slice* measured,
         Drawn* drawn) {
    __shared__ int chosen;
    let_next_begin();
    wait_for_previous();
    const int row = blockIdx.x, n = gridDim.x;
    logits += (long long)row * VOCABULARY, measured += row * slices;
    const Rule rule = rules[row];
    float top = nothing;
    if (threadIdx.x == 0) chosen = VOCABULARY - 1;
    for (int s = slices - 1; s >= 0; --s)
        if (measured[s].most >= top) top = measured[s].most;
    __syncthreads();
    if (threadIdx.x == 0)  // stays where rounding leaves no other
        for (int s = slices - 1; s >= 0; --s)
            if (measured[s].most == top) chosen = measured[s].at;
    double of_all = 0;
    for (int s = 0; s < slices; ++s) of_all += measured[s].sum;
    float logp = 0;
    if (rule.temperature > 0) {
        const float divisor = (float)rule.temperature;
        unsigned floor = 0;
        if (rule.min_p > 0) floor = __float_as_uint((float)rule.min_p);
        if (rule.top_k > 0) floor = threshold(logits, top, divisor, floor, rule.top_k, 2);
        if (rule.top_p < 1) floor = threshold(logits, top, divisor, floor, 1ll << 40, rule.top_p);
        const auto p_of = [&](int i) {
            const float p = expf((logits[i] - top) / divisor);
            return __float_as_uint(p) >= floor ? p : 0.0f;
        };
        const double u = uniforms[(rows.positions[row] - rows.first[row]) * n + row];
        double total = 0, before = 0;
        int begin = 0, end = VOCABULARY;  // where the token is
        if (floor) {
            for (int i = threadIdx.x; i < VOCABULARY; i += blockDim.x) total += p_of(i);
            __shared__ double shared[warp];
            total = of_block(total, Add(), shared);
        } else {
            const auto sum_of = [&](int s) { return measured[s].sum * expf((measured[s].most - top) / divisor); };
            for (int s = 0; s < slices; ++s) total += sum_of(s);
            int own = 0;
            for (; own + 1 < slices && before + sum_of(own) <= u * total; ++own) before += sum_of(own);
            begin = own * slice, end = min(VOCABULARY, begin + slice);
        }
        for (int at = begin; at < end; at += draw_threads) {
            const int i = at + threadIdx.x;
            const double p = i < end ? p_of(i) : 0, up = before + sums_up_to(p);
            if (p > 0 && up - p <= u * total && u * total < up) chosen = i;
            __shared__ double last;
            if (threadIdx.x == draw_threads - 1) last = up;
            __syncthreads();
            before = last;
            if (before > u * total) break;
        }
        __syncthreads();
        logp = (float)log((double)p_of(chosen) / total);
    }
    if (threadIdx.x) return;
    const int position = rows.positions[row];
    drawn[(position - rows.first[row]) * n + row] = {chosen, isfinite(of_all) ? logp : no_number()};
    rows.ids[row] = chosen, rows.positions[row] = position + 1;
}
