// Follows layer.cu.
// sampling/token_draw.hpp, a row a block.
struct Rule {
    double temperature, top_p, min_p;
    int top_k, unused;
};
struct Drawn {
    int id;
    float logp;
};

// The largest p0 for which the tokens with p >= p0 are at least `count`, or hold at least `mass`, of those with p >= floor. Digits of 8 bits of p,
// from the first; masses as integers, so that the order of the threads changes nothing.
__device__ unsigned threshold(const float* logits, float most, float divisor, unsigned floor, long long count, double share) {
    __shared__ unsigned long long masses[256], counts[256];
    __shared__ unsigned long long mass, seen_mass, seen_count;
    __shared__ unsigned prefix;
    constexpr float unit = 1ull << 40;
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int i = threadIdx.x; i < 256; i += blockDim.x) masses[i] = counts[i] = 0;
        if (threadIdx.x == 0 && shift == 24) mass = seen_mass = seen_count = 0, prefix = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < VOCABULARY; i += blockDim.x) {
            const float p = expf((logits[i] - most) / divisor);
            const unsigned bits = __float_as_uint(p);
            if (bits < floor || (shift < 24 && bits >> (shift + 8) != prefix)) continue;
            atomicAdd(&masses[bits >> shift & 255], (unsigned long long)(p * unit));
            atomicAdd(&counts[bits >> shift & 255], 1ull);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            if (shift == 24)
                for (int i = 0; i < 256; ++i) mass += masses[i];
            int digit = 255;
            for (; digit > 0; --digit) {
                if (counts[digit] && (seen_count + counts[digit] >= count || (double)(seen_mass + masses[digit]) >= share * (double)mass)) break;
                seen_count += counts[digit], seen_mass += masses[digit];
            }
            prefix = prefix << 8 | digit;
        }
        __syncthreads();
    }
    return max(prefix, floor);
}

extern "C" __global__ void __launch_bounds__(draw_threads) draw(Rows rows, const float* logits, const Rule* rules, const double* uniforms, Drawn* drawn) {
    __shared__ float wide_shared[warp];
    __shared__ double sums[draw_threads];
    __shared__ int chosen;
    const int row = blockIdx.x, n = gridDim.x;
    logits += (long long)row * VOCABULARY;
    const Rule rule = rules[row];
    float most = nothing;
    int best = VOCABULARY;
    for (int i = threadIdx.x; i < VOCABULARY; i += blockDim.x)
        if (logits[i] > most) most = logits[i], best = i;
    const float top = of_block(most, Most(), wide_shared);
    if (threadIdx.x == 0) chosen = VOCABULARY - 1;
    __syncthreads();
    float logp = 0;
    if (most == top) atomicMin(&chosen, best);  // stays where rounding leaves no other
    __syncthreads();
    if (rule.temperature > 0) {
        const float divisor = (float)rule.temperature;
        unsigned floor = 0;
        if (rule.min_p > 0) floor = __float_as_uint((float)rule.min_p);
        if (rule.top_k > 0) floor = threshold(logits, top, divisor, floor, rule.top_k, 2);
        if (rule.top_p < 1) floor = threshold(logits, top, divisor, floor, 1ll << 40, rule.top_p);
        constexpr int piece = (VOCABULARY + draw_threads - 1) / draw_threads;
        const int begin = min(VOCABULARY, (int)threadIdx.x * piece), end = min(VOCABULARY, begin + piece);
        const auto p_of = [&](int i) {
            const float p = expf((logits[i] - top) / divisor);
            return __float_as_uint(p) >= floor ? p : 0.0f;
        };
        double sum = 0;
        for (int i = begin; i < end; ++i) sum += p_of(i);
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (int step = 1; step < draw_threads; step *= 2) {
            const double left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        const double total = sums[draw_threads - 1], wanted = uniforms[(rows.positions[row] - rows.first[row]) * n + row] * total;
        double before = threadIdx.x ? sums[threadIdx.x - 1] : 0;
        const bool own = sum > 0 && before <= wanted && wanted < sums[threadIdx.x];
        if (own) {
            int at = begin, likely = begin;
            for (; at < end; ++at) {
                const float p = p_of(at);
                if (p > 0) likely = at;
                if ((before += p) > wanted) break;
            }
            chosen = at < end ? at : likely;
        }
        __syncthreads();
        logp = (float)log((double)p_of(chosen) / total);
    }
    if (threadIdx.x) return;
    const int position = rows.positions[row];
    drawn[(position - rows.first[row]) * n + row] = {chosen, logp};
    rows.ids[row] = chosen, rows.positions[row] = position + 1;
}
