// Follows layer.cu: which tokens top_k, top_p and min_p leave (sampling/token_draw.hpp).
struct Rule {
    double temperature, top_p, min_p;
    int top_k, unused;
};

// The largest p0 for which the tokens with p >= p0 are at least `count`, or hold at least `share`, of those with
// p >= floor. Digits of 8 bits of p, from the first; masses as integers, so that the order of the threads changes
// nothing.
__device__ unsigned threshold(const float* logits, float most, float divisor, unsigned floor, long long count,
                              double share) {
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
                if (counts[digit] && (seen_count + counts[digit] >= count ||
                                      (double)(seen_mass + masses[digit]) >= share * (double)mass))
                    break;
                seen_count += counts[digit], seen_mass += masses[digit];
            }
            prefix = prefix << 8 | digit;
        }
        __syncthreads();
    }
    return max(prefix, floor);
}
