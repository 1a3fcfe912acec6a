#include "judge/timing/by_inputs.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include "judge/timing/sequential_test.hpp"

namespace hone {
namespace {

constexpr std::size_t least_blocks = 3;
constexpr double chosen = 0.5;     // of the error: the kind was chosen among several, after several analyses
constexpr double sure = 1 - 1e-5;  // probability, by Student's distribution
// Of two means. (Of four kinds alike the slowest and the fastest are so far apart in one measurement of twenty.)
constexpr double likely = 0.995;
constexpr double notable = 0.05;  // of ln(speedup): what alignment, caches and power may make of it

// Values that a trimmed mean leaves out at each end.
std::size_t trimmed(std::size_t values) {
    return static_cast<std::size_t>(trimmed_share * static_cast<double>(values));
}

using ByKind = std::map<Variant, std::vector<double>>;

ByKind sorted_by_kind(const std::vector<PairOfKind>& pairs) {
    ByKind by_kind;
    for (const PairOfKind& pair : pairs) by_kind[pair.kind].push_back(pair.d);
    for (auto& [kind, values] : by_kind) std::sort(values.begin(), values.end());
    return by_kind;
}

// The deviation that belongs to a trimmed mean: what is trimmed counts as the last value that is kept (Yuen 1974).
struct Scatter {
    double squares = 0, degrees = 0, pairs = 0;
    void add(std::vector<double> sorted) {
        const std::size_t cut = trimmed(sorted.size());
        std::fill_n(sorted.begin(), cut, sorted[cut]);
        std::fill_n(sorted.rbegin(), cut, sorted.rbegin()[static_cast<std::ptrdiff_t>(cut)]);
        const double centre = mean(sorted);
        for (const double value : sorted) squares += (value - centre) * (value - centre);
        degrees += static_cast<double>(sorted.size() - 2 * cut) - 1;
        pairs += static_cast<double>(sorted.size()) - 1;
    }
    double deviation() const { return std::sqrt(squares / pairs); }
};

// Of the mean of n pairs.
double error_of(double deviation, std::size_t n) {
    const auto pairs = static_cast<double>(n), kept = pairs - 2 * static_cast<double>(trimmed(n));
    return deviation * std::sqrt(pairs) / kept;
}

auto slowest_and_fastest(const RatiosByKind& of) {
    return std::minmax_element(of.kinds.begin(), of.kinds.end(),
                               [](const RatioOfKind& a, const RatioOfKind& b) { return a.mean < b.mean; });
}

Interval interval_of_kind(const RatioOfKind& of, const RatiosByKind& among, const std::vector<PairOfKind>& pairs,
                          double level) {
    std::map<std::size_t, std::vector<double>> blocks;
    for (const PairOfKind& pair : pairs)
        if (pair.kind == of.kind) blocks[pair.block].push_back(pair.d);
    std::vector<double> means;
    for (const auto& [block, values] : blocks) means.push_back(trimmed_mean(values, trimmed_share));
    const double wider = 1 - (1 - level) * chosen;
    if (means.size() >= least_blocks) return mean_interval(means, wider);
    if (among.degrees == 0) return {of.mean, -no_reading, no_reading};
    const double half = student_quantile((1 + wider) / 2, among.degrees) * of.error;
    return {of.mean, of.mean - half, of.mean + half};
}

}  // namespace

RatiosByKind ratios_by_kind(const std::vector<PairOfKind>& pairs) {
    const ByKind by_kind = sorted_by_kind(pairs);
    Scatter scatter;
    for (const auto& [kind, values] : by_kind) scatter.add(values);
    RatiosByKind ratios{{}, scatter.degrees};
    for (const auto& [kind, values] : by_kind) {
        const double error = scatter.degrees > 0 ? error_of(scatter.deviation(), values.size()) : no_reading;
        ratios.kinds.push_back({kind, trimmed_mean(values, trimmed_share), error, values.size()});
    }
    return ratios;
}

KindsDiffer kinds_differ(const RatiosByKind& of) {
    if (of.kinds.size() < 2) return KindsDiffer::none;
    const auto [slow, fast] = slowest_and_fastest(of);
    const double more = fast->mean - slow->mean, error = std::hypot(fast->error, slow->error);
    if (more < notable) return KindsDiffer::none;
    if (of.degrees == 0) return KindsDiffer::perhaps;
    if (more >= student_quantile(sure, of.degrees) * error) return KindsDiffer::clear;
    return more >= student_quantile(likely, of.degrees) * error ? KindsDiffer::perhaps : KindsDiffer::none;
}

ByInputs by_inputs(const Interval& all, const std::vector<PairOfKind>& pairs, double level) {
    const RatiosByKind ratios = ratios_by_kind(pairs);
    const KindsDiffer differ = kinds_differ(ratios);
    if (differ == KindsDiffer::none) return {all};
    const RatioOfKind& slowest = *slowest_and_fastest(ratios).first;
    const Interval of_slowest = interval_of_kind(slowest, ratios, pairs, level);
    if (differ == KindsDiffer::clear) return {of_slowest, differ, slowest.kind};
    return {{all.estimate, std::min(all.lower, of_slowest.lower), all.upper}, differ, slowest.kind};
}

}  // namespace hone
