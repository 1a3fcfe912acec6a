// hone/checks.h on plain memory: what verifier.cuda does in parallel, done in loops. Tensors of the fake device are
// f32.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>
#include "hone/checks.h"

namespace fake {

inline uint64_t differing(const char* a, const char* b, uint64_t bytes) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < bytes; ++i) n += a[i] != b[i];
    return n;
}

inline uint64_t strays(const uint32_t* at, uint64_t words, uint32_t word) {
    return words - static_cast<uint64_t>(std::count(at, at + words, word));
}

inline hone_survey survey(const float* answer, double* truth, int64_t n) {
    hone_survey found{};
    for (int64_t i = 0; i < n; ++i) {
        if (std::isfinite(truth[i]) && std::isfinite(answer[i])) {
            ++found.compared;
            found.sum += truth[i];
            found.squares += truth[i] * truth[i];
        } else if (!(std::isnan(truth[i]) && std::isnan(answer[i])) && truth[i] != answer[i]) {
            truth[i] = std::bit_cast<double>(HONE_SILENT);
        }
    }
    return found;
}

inline void raise_to_rows(const double* truth, uint64_t n, uint64_t row, double roundoff, double* sizes) {
    for (uint64_t first = 0; first < n; first += row) {
        const uint64_t end = std::min(first + row, n);
        double squares = 0, finite = 0;
        for (uint64_t i = first; i < end; ++i)
            if (std::isfinite(truth[i])) squares += truth[i] * truth[i], finite += 1;
        const double least = finite > 0 ? roundoff * std::sqrt(squares / finite) : 0;
        for (uint64_t b = first / HONE_NEAR; b * HONE_NEAR < end; ++b) sizes[b] = std::max(sizes[b], least);
    }
}

inline void measure_sizes(const double* truth, uint64_t n, uint64_t row, double usual, double roundoff, double* sizes) {
    for (uint64_t b = 0; b * HONE_NEAR < n; ++b) {
        std::vector<double> near;
        for (uint64_t i = b * HONE_NEAR; i < std::min(n, (b + 1) * HONE_NEAR); ++i)
            if (std::isfinite(truth[i])) near.push_back(std::fabs(truth[i]));
        std::sort(near.begin(), near.end());
        sizes[b] = std::max(usual, near.empty() ? 0 : near[near.size() / 2]);
    }
    raise_to_rows(truth, n, row, roundoff, sizes);
}

inline hone_errors compare(const float* got, const hone_yardstick& yardstick, int64_t n) {
    const double* truth = reinterpret_cast<const double*>(yardstick.truth);
    const double* sizes = reinterpret_cast<const double*>(yardstick.sizes);
    hone_errors found{};
    for (int64_t i = 0; i < n; ++i) {
        const hone_look look = hone_look_at(truth[i], got[i], sizes[i / HONE_NEAR], yardstick.allowed);
        found.compared += static_cast<uint64_t>(look.compared);
        found.unwritten += yardstick.poisoned && std::bit_cast<uint32_t>(got[i]) == yardstick.poison;
        if (look.fault) ++found.faults[look.fault];
        found.squares += look.error * look.error;
        found.relative += look.d * look.d;
        found.worst = std::max(found.worst, look.d);
    }
    return found;
}

}  // namespace fake
