// Compiled for several instruction sets, as kernels.hpp says. Each number that is read from the matrix serves four
// rows, and the sums stay in registers.
#include "torch_lm/host/few_rows.hpp"
#include <bit>
#include <cstring>
#include "torch_lm/host/vector_math.hpp"

namespace hone::lm::host {
namespace {

constexpr std::int64_t lanes = 16, ahead = 1024;
using Floats = float __attribute__((vector_size(lanes * 4)));
using Words = std::uint32_t __attribute__((vector_size(lanes * 4)));
using Halves = std::uint16_t __attribute__((vector_size(lanes * 2)));

HONE_INLINE void load(const float* from, Floats& to) { std::memcpy(&to, from, sizeof to); }
HONE_INLINE void load(const std::uint16_t* from, Floats& to) {
    Halves bits;
    std::memcpy(&bits, from, sizeof bits);
    to = std::bit_cast<Floats>(__builtin_convertvector(bits, Words) << 16);
}
HONE_INLINE float number(float value) { return value; }
HONE_INLINE float number(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

HONE_INLINE float sum_of(const Floats& parts) {  // halves onto each other: four additions behind one another, not 16
    Floats sum = parts;
    sum += __builtin_shufflevector(sum, sum, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    sum += __builtin_shufflevector(sum, sum, 4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15);
    sum += __builtin_shufflevector(sum, sum, 2, 3, 0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return sum[0] + sum[1];
}

template <class Weight>
HONE_INLINE float rest_of(const float* x, const Weight* w, std::int64_t from, std::int64_t width, float sum) {
    for (std::int64_t i = from; i < width; ++i) sum += x[i] * number(w[i]);
    return sum;
}

// Four sums, so that additions need not wait for one another; the matrix is read in its order.
template <class Weight>
HONE_INLINE void one_row(const FewRows& p, const Weight* w, std::int64_t row, std::int64_t output) {
    constexpr int steps = 4;
    const float* x = p.x + row * p.in;
    Floats sums[steps] = {};
    std::int64_t i = 0;
    for (; i + steps * lanes <= p.in; i += steps * lanes) {
        __builtin_prefetch(w + i + ahead);
#pragma GCC unroll 4
        for (int s = 0; s < steps; ++s) {
            Floats of_w, of_x;
            load(w + i + s * lanes, of_w);
            load(x + i + s * lanes, of_x);
            sums[s] += of_x * of_w;
        }
    }
    p.y[row * p.out + output] = rest_of(x, w, i, p.in, sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])));
}

// Four rows and four outputs: each number that is read serves four sums, which stay in registers.
template <class Weight>
HONE_INLINE void four_rows(const FewRows& p, const Weight* w, std::int64_t row, std::int64_t output) {
    const float* x = p.x + row * p.in;
    Floats sums[4][4] = {};
    std::int64_t i = 0;
    for (; i + lanes <= p.in; i += lanes) {
        Floats of_w[4], of_x;
#pragma GCC unroll 4
        for (int o = 0; o < 4; ++o) load(w + o * p.in + i, of_w[o]);
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r) {
            load(x + r * p.in + i, of_x);
#pragma GCC unroll 4
            for (int o = 0; o < 4; ++o) sums[r][o] += of_x * of_w[o];
        }
    }
    for (int r = 0; r < 4; ++r)
        for (int o = 0; o < 4; ++o)
            p.y[(row + r) * p.out + output + o] = rest_of(x + r * p.in, w + o * p.in, i, p.in, sum_of(sums[r][o]));
}

template <class Weight> HONE_INLINE void all(const FewRows& p, const Weight* w, std::int64_t first, std::int64_t last) {
    const std::int64_t fours = p.rows / 4 * 4;
    std::int64_t output = first;
    for (; output + 4 <= last; output += 4) {
        const Weight* at = w + output * p.in;
        for (std::int64_t row = 0; row < fours; row += 4) four_rows(p, at, row, output);
        for (int o = 0; o < 4; ++o)
            for (std::int64_t row = fours; row < p.rows; ++row) one_row(p, at + o * p.in, row, output + o);
    }
    for (; output < last; ++output)
        for (std::int64_t row = 0; row < p.rows; ++row) one_row(p, w + output * p.in, row, output);
}

}  // namespace

HONE_CLONES void few_rows(const FewRows& product, const float* w, std::int64_t first, std::int64_t last) {
    all(product, w, first, last);
}

HONE_CLONES void few_rows(const FewRows& product, const std::uint16_t* w, std::int64_t first, std::int64_t last) {
    all(product, w, first, last);
}

}  // namespace hone::lm::host
