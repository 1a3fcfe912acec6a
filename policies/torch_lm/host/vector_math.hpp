// vector_math.hpp: for the kernel files only, which are compiled with -O3 -fopenmp-simd.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

// One version for each level of x86-64; the loader chooses. Elsewhere the compiler's target is what it is.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HONE_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define HONE_CLONES
#endif
#define HONE_INLINE static inline __attribute__((always_inline))

namespace hone::lm::host {

// e^x with a relative error below 2e-7, vectorisable: 2^n by the exponent bits, e^r by its Taylor polynomial on |r| <=
// ln 2 / 2. 0 below -87.
HONE_INLINE float exponential(float x) {
    const float kept = std::min(std::max(x, -87.0f), 88.0f);
    const float n = (kept * 1.44269504f + 12582912.0f) - 12582912.0f;  // rounds to an integer: 1.5 * 2^23
    const float r = (kept - n * 0.693359375f) + n * 2.12194440e-4f;    // ln 2 in two parts
    const float p =
        1.0f +
        r * (1.0f + r * (0.5f + r * (1.6666667e-1f + r * (4.1666668e-2f + r * (8.3333338e-3f + r * 1.3888889e-3f)))));
    const float power = std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
    return x < -87.0f ? 0.0f : p * power;
}

}  // namespace hone::lm::host
