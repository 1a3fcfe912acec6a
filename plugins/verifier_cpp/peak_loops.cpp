// The same two loops for each width of vectors. GCC's vector types: the compiler makes a fused multiply-add of a * b +
// c where it can. Optimised in every preset, since slow loops would make a roofline that honest programs exceed.
#include "peak_loops.hpp"

namespace hone::cpp {
namespace {

constexpr int chains = 12, streams = 8;  // chains: more than latency x units, and not more than there are registers

#if defined(__GNUC__) && !defined(__clang__)
#define HONE_FAST __attribute__((optimize("O3"), noinline, no_sanitize("address", "undefined", "thread")))
#else
#define HONE_FAST __attribute__((noinline))
#endif

#define HONE_PEAK_LOOPS(NAME, ATTRIBUTES, WIDTH)                                                 \
    ATTRIBUTES HONE_FAST float multiply_add_##NAME(long rounds, float factor) {                  \
        typedef float V __attribute__((vector_size(WIDTH)));                                     \
        const V by = V{} + factor, plus = V{} + (1 - factor);                                    \
        V a[chains];                                                                             \
        for (int k = 0; k < chains; ++k) a[k] = V{} + static_cast<float>(k);                     \
        for (long i = 0; i < rounds; ++i)                                                        \
            _Pragma("GCC unroll 12") for (int k = 0; k < chains; ++k) a[k] = a[k] * by + plus;   \
        float sum = 0;                                                                           \
        for (int k = 0; k < chains; ++k) sum += a[k][0];                                         \
        return sum;                                                                              \
    }                                                                                            \
    ATTRIBUTES HONE_FAST std::uint64_t read_##NAME(const void* from, std::size_t bytes) {        \
        typedef std::uint64_t V __attribute__((vector_size(WIDTH), may_alias));                  \
        const V* at = static_cast<const V*>(from);                                               \
        V a[streams] = {};                                                                       \
        for (std::size_t i = 0; i < bytes / WIDTH; i += streams)                                 \
            _Pragma("GCC unroll 8") for (std::size_t k = 0; k < streams; ++k) a[k] |= at[i + k]; \
        std::uint64_t any = 0;                                                                   \
        for (int k = 0; k < streams; ++k) any |= a[k][0];                                        \
        return any;                                                                              \
    }

HONE_PEAK_LOOPS(plain, , 16)
#ifdef __x86_64__
HONE_PEAK_LOOPS(avx2, __attribute__((target("avx2,fma"))), 32)
HONE_PEAK_LOOPS(avx512, __attribute__((target("avx512f"))), 64)
#endif

template <int width> constexpr long flops = chains * 2L * (width / 4);

}  // namespace

PeakLoops peak_loops() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) return {multiply_add_avx512, flops<64>, read_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return {multiply_add_avx2, flops<32>, read_avx2};
#endif
    return {multiply_add_plain, flops<16>, read_plain};
}

}  // namespace hone::cpp
