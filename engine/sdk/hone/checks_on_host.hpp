// hone/checks_on_host.hpp: hone/checks.h in this process's own memory: the only implementation for hosts, which
// verifiers inherit (hone/memory.hpp). A judgement compares hundreds of outputs, so the loops go by whole
// neighbourhoods that stay in the cache, and the compiler turns them into vectors.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include "hone/checks.h"
#include "hone/data_on_host.hpp"

namespace hone::on_host {

inline bool is_number(double x) { return std::fabs(x) <= std::numeric_limits<double>::max(); }

inline bool all_numbers(const double* values, std::uint64_t n) {
    bool all = true;
    for (std::uint64_t i = 0; i < n; ++i) all &= is_number(values[i]);
    return all;
}

inline double in_pairs(const double (&sums)[8]) {
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Sum of term(i) in lanes, which the compiler turns into vectors.
template <class Term> double sum_of(std::uint64_t n, Term&& term) {
    constexpr std::uint64_t lanes = 8;
    double sums[lanes] = {};
    std::uint64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::uint64_t lane = 0; lane < lanes; ++lane) sums[lane] += term(i + lane);
    for (; i < n; ++i) sums[0] += term(i);
    return in_pairs(sums);
}

inline std::uint64_t differing(const void* a, const void* b, std::uint64_t bytes) {
    if (std::memcmp(a, b, bytes) == 0) return 0;  // nearly always
    const auto *x = static_cast<const char*>(a), *y = static_cast<const char*>(b);
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < bytes; ++i) found += x[i] != y[i];
    return found;
}

inline std::uint64_t strays(const std::uint32_t* from, std::uint64_t words, std::uint32_t word) {
    return words - static_cast<std::uint64_t>(std::count(from, from + words, word));
}

// Calls body(begin, n, raw) for each neighbourhood, with a copy of its elements: what a program writes meanwhile is not
// seen twice in two ways. n is a constant but for the last one.
template <class T, class Body> void by_neighbourhood(std::uint64_t from, std::uint64_t all, Body&& body) {
    constexpr std::integral_constant<std::uint64_t, HONE_NEAR> whole;
    T raw[HONE_NEAR];
    std::uint64_t begin = 0;
    for (; begin + whole <= all; begin += whole) {
        std::memcpy(raw, at<const T>(from) + begin, sizeof raw);
        body(begin, whole, raw);
    }
    if (begin == all) return;
    std::memcpy(raw, at<const T>(from) + begin, (all - begin) * sizeof(T));
    body(begin, all - begin, raw);
}

inline void silence(double* truth, const double* answer, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool same = (std::isnan(truth[i]) && std::isnan(answer[i])) || truth[i] == answer[i];
        if (!(is_number(truth[i]) && is_number(answer[i])) && !same) truth[i] = std::bit_cast<double>(HONE_SILENT);
    }
}

// Where only some are numbers.
inline void add_elements(hone_moments& found, const double* truth, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
        if (!is_number(truth[i])) continue;
        ++found.compared;
        found.sum += truth[i];
        found.squares += truth[i] * truth[i];
    }
}

// For a whole neighbourhood of numbers, without branches. false: some are none; nothing was added.
inline bool add_at_once(hone_moments& found, const double* truth, const double* answer) {
    constexpr std::uint64_t lanes = 8;
    double sum[lanes] = {}, squares[lanes] = {}, finite[lanes] = {};  // 0 times a number; NaN of anything else
    for (std::uint64_t i = 0; i < HONE_NEAR; i += lanes)
        for (std::uint64_t lane = 0; lane < lanes; ++lane) {
            finite[lane] += 0 * truth[i + lane] + 0 * answer[i + lane];
            sum[lane] += truth[i + lane];
            squares[lane] += truth[i + lane] * truth[i + lane];
        }
    if (in_pairs(finite) != 0) return false;
    found.compared += HONE_NEAR;
    found.sum += in_pairs(sum);
    found.squares += in_pairs(squares);
    return true;
}

inline hone_moments moments(const hone_tensor& answer, double* truth) {
    hone_moments found{};
    double numbers[HONE_NEAR];
    with_type(answer.dtype, [&](auto zero) {
        by_neighbourhood<decltype(zero)>(answer.at, elements(answer), [&](auto begin, auto n, const auto* raw) {
            to_numbers(raw, n, numbers);
            if (n == HONE_NEAR && add_at_once(found, truth + begin, numbers)) return;
            silence(truth + begin, numbers, n);
            add_elements(found, truth + begin, n);
        });
    });
    return found;
}

// The median |value| of one whole neighbourhood of numbers, without branches that nobody can foresee: the middle one's
// bits as a float by bisection, counting; then the middle one of those few that share them.
inline double median_of_neighbours(const double* values) {
    std::uint32_t bits[HONE_NEAR];
    for (std::uint32_t i = 0; i < HONE_NEAR; ++i)
        bits[i] = std::bit_cast<std::uint32_t>(static_cast<float>(std::fabs(values[i])));
    const auto count = [&](std::uint32_t most) {
        std::uint32_t n = 0;
        for (const std::uint32_t b : bits) n += b <= most;
        return n;
    };
    constexpr std::uint32_t rank = HONE_NEAR / 2;  // from 0
    std::uint32_t least = *std::min_element(bits, bits + HONE_NEAR), most = *std::max_element(bits, bits + HONE_NEAR);
    while (least < most) {
        const std::uint32_t middle = least + (most - least) / 2;
        if (count(middle) > rank) most = middle;
        else least = middle + 1;
    }
    double alike[HONE_NEAR];
    std::uint32_t n = 0, below = 0;
    for (std::uint32_t i = 0; i < HONE_NEAR; ++i) {
        below += bits[i] < least;
        if (bits[i] == least) alike[n++] = std::fabs(values[i]);
    }
    std::nth_element(alike, alike + (rank - below), alike + n);
    return alike[rank - below];
}

inline double median_near(const double* values, std::uint64_t n) {
    if (n == HONE_NEAR && all_numbers(values, n)) return median_of_neighbours(values);
    double sizes[HONE_NEAR];
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < n; ++i)
        if (is_number(values[i])) sizes[found++] = std::fabs(values[i]);
    if (found == 0) return 0;
    std::nth_element(sizes, sizes + found / 2, sizes + found);
    return sizes[found / 2];
}

inline void local_scale(const double* truth, std::uint64_t all, std::uint64_t row, double usual, double roundoff,
                        double* scale) {
    for (std::uint64_t begin = 0; begin < all; begin += HONE_NEAR)
        scale[begin / HONE_NEAR] =
            std::max(usual, median_near(truth + begin, std::min<std::uint64_t>(HONE_NEAR, all - begin)));
    for (std::uint64_t begin = 0; begin < all; begin += row) {
        const std::uint64_t n = std::min(row, all - begin);
        const double* const y = truth + begin;
        const double compared = sum_of(n, [=](std::uint64_t i) { return is_number(y[i]) ? 1.0 : 0.0; });
        if (compared == 0) continue;
        const double squares = sum_of(n, [=](std::uint64_t i) {
            const double square = y[i] * y[i];
            return is_number(y[i]) ? square : 0.0;
        });
        const double least = roundoff * std::sqrt(squares / compared);
        for (std::uint64_t b = begin / HONE_NEAR; b * HONE_NEAR < begin + n; ++b) scale[b] = std::max(scale[b], least);
    }
}

struct Neighbourhood {  // of an answer, as numbers, with its truth
    const double *truth, *got;
    double local_scale;
    std::uint64_t n;
};

inline void add_elements(hone_errors& found, const Neighbourhood& near, const hone_allowed& allowed) {
    for (std::uint64_t i = 0; i < near.n; ++i) {
        const hone_look look = hone_look_at(near.truth[i], near.got[i], near.local_scale, allowed);
        found.compared += static_cast<std::uint64_t>(look.compared);
        if (look.fault != HONE_FINE) ++found.faults[look.fault];
        found.squares += look.error * look.error;
        found.relative += look.d * look.d;
        found.worst = std::max(found.worst, look.d);
    }
}

// What add_elements does, for a whole neighbourhood of numbers that are right, and without branches. false: some
// element is no number, or wrong; nothing was added.
inline bool add_at_once(hone_errors& found, const Neighbourhood& near, const hone_allowed& allowed) {
    double squares[4] = {}, relative[4] = {}, worst[4] = {};
    double finite = 0;  // 0 times a number; NaN of anything else
    for (std::uint64_t i = 0; i < HONE_NEAR; i += 4)
        for (std::uint64_t lane = 0; lane < 4; ++lane) {
            const double y = near.truth[i + lane], error = std::fabs(near.got[i + lane] - y),
                         beyond = std::max(error - allowed.least, 0.0);
            const double d = beyond / (std::fabs(y) + near.local_scale + HONE_NO_SCALE);
            finite += 0 * error;
            squares[lane] += error * error;
            relative[lane] += d * d;
            worst[lane] = std::max(worst[lane], d);
        }
    const double most = std::max(std::max(worst[0], worst[1]), std::max(worst[2], worst[3]));
    if (finite != 0 || !(most <= allowed.element)) return false;
    found.compared += HONE_NEAR;
    found.squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
    found.relative += (relative[0] + relative[1]) + (relative[2] + relative[3]);
    found.worst = std::max(found.worst, most);
    return true;
}

template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

template <class T> struct Poisoned {  // a neighbourhood that nobody wrote
    Bits<T> bits[HONE_NEAR];

    explicit Poisoned(std::uint32_t word) {
        for (std::size_t i = 0; i < sizeof bits; i += sizeof word)
            std::memcpy(reinterpret_cast<char*>(bits) + i, &word, sizeof word);
    }
    bool holds(const T* raw, std::uint64_t i) const { return std::bit_cast<Bits<T>>(raw[i]) == bits[i]; }

    std::uint64_t count(const T* raw, const Neighbourhood& near, bool exact) const {
        std::uint32_t any = 0;
        for (std::uint64_t i = 0; i < near.n; ++i) any |= holds(raw, i);
        std::uint64_t found = 0;
        // a whole number may happen to be the poison's value
        for (std::uint64_t i = 0; any && i < near.n; ++i)
            found += holds(raw, i) && !(exact && near.got[i] == near.truth[i]);
        return found;
    }
};

inline hone_errors compare(const hone_tensor& got, const hone_comparison& with) {
    hone_errors found{};
    double numbers[HONE_NEAR];
    const bool exact = with.allowed.exact;
    with_type(got.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Poisoned<T> poisoned(with.poison);
        by_neighbourhood<T>(got.at, elements(got), [&](auto begin, auto n, const T* raw) {
            to_numbers(raw, n, numbers);
            const double scale = exact ? 0 : at<const double>(with.local_scale)[begin / HONE_NEAR];
            const Neighbourhood near{at<const double>(with.truth) + begin, numbers, scale, n};
            if (with.poisoned) found.unwritten += poisoned.count(raw, near, exact);
            if (exact || n < HONE_NEAR || !add_at_once(found, near, with.allowed))
                add_elements(found, near, with.allowed);
        });
    });
    return found;
}

}  // namespace hone::on_host
