#include "judge/timing/by_inputs.hpp"
#include <algorithm>
#include <cmath>
#include <map>

namespace hone {
namespace {

constexpr std::size_t least_of_kind = 16, least_blocks = 3;  // pairs; blocks
constexpr double chosen = 0.5;     // of the error: the kind was chosen among several, after several analyses
constexpr double sure = 1 - 1e-5;  // probability, by Student's distribution: of few pairs the range may be small
constexpr double notable = 0.05;   // of ln(speedup): what alignment, caches and power may make of it
// Of a normal sample: quartiles are 1.349 deviations apart, and the median's error is 1.2533 deviations / sqrt(n).
constexpr double error_a_range = 1.2533 / 1.349;

}  // namespace

std::vector<RatioOfKind> ratios_of_kinds(const std::vector<PairOfKind>& pairs) {
    std::map<Variant, std::vector<double>> by_kind;
    for (const PairOfKind& pair : pairs) by_kind[pair.kind].push_back(pair.d);
    std::vector<RatioOfKind> ratios;
    for (const auto& [kind, values] : by_kind) {
        if (values.size() < least_of_kind) continue;
        const double range = quantile(values, 0.75) - quantile(values, 0.25),
                     error = error_a_range * range / std::sqrt(static_cast<double>(values.size()));
        ratios.push_back({kind, quantile(values, 0.5), error, values.size()});
    }
    return ratios;
}

std::optional<RatioOfKind> clearly_slowest(const std::vector<RatioOfKind>& ratios) {
    if (ratios.size() < 2) return std::nullopt;
    const auto [slow, fast] = std::minmax_element(
        ratios.begin(), ratios.end(), [](const RatioOfKind& a, const RatioOfKind& b) { return a.middle < b.middle; });
    const double more = fast->middle - slow->middle,
                 errors = student_quantile(sure, static_cast<double>(std::min(fast->pairs, slow->pairs) - 1));
    if (more < notable || more < errors * std::hypot(fast->error, slow->error)) return std::nullopt;
    return *slow;
}

Interval interval_of(const RatioOfKind& of, const std::vector<PairOfKind>& pairs, double level) {
    std::map<std::size_t, std::vector<double>> blocks;
    for (const PairOfKind& pair : pairs)
        if (pair.kind == of.kind) blocks[pair.block].push_back(pair.d);
    std::vector<double> medians;
    for (const auto& [block, values] : blocks) medians.push_back(quantile(values, 0.5));
    if (medians.size() >= least_blocks) return mean_interval(medians, 1 - (1 - level) * chosen);
    const double half = student_quantile((1 + level) / 2, static_cast<double>(of.pairs - 1)) * of.error;
    return {of.middle, of.middle - half, of.middle + half};
}

}  // namespace hone
