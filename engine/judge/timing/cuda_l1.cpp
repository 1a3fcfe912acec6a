#include "judge/timing/cuda_l1.hpp"
#include <cmath>

namespace hone {
namespace {

constexpr std::size_t slices = 7;
constexpr double most_variance = 0.005, remarkable = 3, times_the_best = 2, agreement = 0.1;

}  // namespace

double rounded_towards_one(double ratio) {
    constexpr double whole = 1e-9;  // 1.15 * 100 is 114.99...
    return (ratio >= 1 ? std::floor(ratio * 100 + whole) : std::ceil(ratio * 100 - whole)) / 100;
}

CudaL1Score cuda_l1_score(const std::vector<double>& candidate, const std::vector<double>& baseline) {
    CudaL1Score score;
    const std::size_t n = candidate.size();
    if (n < slices) return score;
    for (std::size_t slice = 0; slice < slices; ++slice) {
        double sum = 0;
        const std::size_t begin = slice * n / slices, end = (slice + 1) * n / slices;
        for (std::size_t i = begin; i < end; ++i) sum += baseline[i] / candidate[i];
        score.slices.push_back(sum / static_cast<double>(end - begin));
    }
    const double relative = deviation(score.slices) / mean(score.slices);
    score.variance = relative * relative;
    score.steady = score.variance <= most_variance;
    score.value = rounded_towards_one(quantile(score.slices, 0.5));
    return score;
}

bool asks_for_confirmation(double score, double best) {
    return score > remarkable || (best > 0 && score > times_the_best * best);
}

bool confirms(double score, double again) { return std::fabs(again - score) < agreement * score; }

}  // namespace hone
