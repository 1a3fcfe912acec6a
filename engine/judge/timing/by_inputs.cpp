#include "judge/timing/by_inputs.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include "judge/timing/sequential_test.hpp"

namespace hone {
namespace {

constexpr std::size_t least_blocks = 3;
constexpr double share_of_chosen_kind = 0.5;  // of the error: the kind was chosen among several, after several analyses
constexpr double clear_level = 1 - 1e-6;      // probability, by Student's distribution: of the extremes of four 1e-5
constexpr double perhaps_errors = 2;          // standard errors
constexpr double notable = 0.05;              // of ln(speedup): what alignment, caches and power may make of it
constexpr double cap_margin = 0.02;  // of ln(speedup): what trimming in other groups may make of an honest program's

// Values that a trimmed mean leaves out at each end.
std::size_t trimmed(std::size_t values) {
    return static_cast<std::size_t>(trimmed_share * static_cast<double>(values));
}

// The sum of squares that belongs to a trimmed mean: what is trimmed counts as the last value that is kept (Yuen 1974).
double winsorized_squares(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t cut = trimmed(values.size());
    std::fill_n(values.begin(), cut, values[cut]);
    std::fill_n(values.rbegin(), cut, values.rbegin()[static_cast<std::ptrdiff_t>(cut)]);
    const double centre = mean(values);
    double squares = 0;
    for (const double value : values) squares += (value - centre) * (value - centre);
    return squares;
}

// Student's, two-sided.
Interval interval_of(double centre, double error, double degrees, double level) {
    if (degrees < 1) return {centre, -no_reading, no_reading};
    const double half = student_quantile((1 + level) / 2, degrees) * error;
    return {centre, centre - half, centre + half};
}

auto slowest_and_fastest(const std::vector<RatioOfKind>& kinds) {
    return std::minmax_element(kinds.begin(), kinds.end(),
                               [](const RatioOfKind& a, const RatioOfKind& b) { return a.mean < b.mean; });
}

// Of the kinds' means, each with the share of its pairs.
Interval together(const std::vector<RatioOfKind>& kinds, double level) {
    double pairs = 0, sum = 0, squares = 0, degrees = 0;
    for (const RatioOfKind& one : kinds) {
        const auto n = static_cast<double>(one.pairs);
        pairs += n, sum += n * one.mean, squares += n * n * one.error * one.error, degrees += one.degrees;
    }
    return interval_of(sum / pairs, std::sqrt(squares) / pairs, degrees, level);
}

Interval capped(const Interval& all, const Interval& kinds) {
    const double lower = std::min(all.lower, kinds.lower);
    if (kinds.estimate > all.estimate - cap_margin) return {all.estimate, lower, all.upper};
    return {kinds.estimate, lower, kinds.upper};
}

Interval interval_of_kind(const RatioOfKind& of, const std::vector<PairOfKind>& pairs, double level) {
    std::map<std::size_t, std::vector<double>> blocks;
    for (const PairOfKind& pair : pairs)
        if (pair.kind == of.kind) blocks[pair.block].push_back(pair.d);
    std::vector<double> means;
    for (const auto& [block, values] : blocks) means.push_back(trimmed_mean(values, trimmed_share));
    const double wider = 1 - (1 - level) * share_of_chosen_kind;
    if (means.size() >= least_blocks) return mean_interval(means, wider);
    return interval_of(of.mean, of.error, of.degrees, wider);
}

}  // namespace

std::vector<RatioOfKind> ratios_by_kind(const std::vector<PairOfKind>& pairs) {
    std::map<Variant, std::vector<double>> by_kind;
    for (const PairOfKind& pair : pairs) by_kind[pair.kind].push_back(pair.d);
    double squares = 0, degrees = 0;  // of all kinds
    std::vector<RatioOfKind> kinds;
    for (const auto& [kind, values] : by_kind) {
        const auto n = static_cast<double>(values.size()), kept = n - 2 * static_cast<double>(trimmed(values.size()));
        const double own = winsorized_squares(values);
        squares += own, degrees += n - 1;
        kinds.push_back({kind, trimmed_mean(values, trimmed_share), std::sqrt(own / std::max(1.0, n - 1) * n) / kept,
                         kept - 1, values.size()});
    }
    for (RatioOfKind& one : kinds)
        if (one.pairs == 1) one.error = degrees > 0 ? std::sqrt(squares / degrees) : no_reading;
    return kinds;
}

KindsDiffer kinds_differ(const std::vector<RatioOfKind>& kinds) {
    if (kinds.size() < 2) return KindsDiffer::none;
    const auto [slow, fast] = slowest_and_fastest(kinds);
    const double more = fast->mean - slow->mean, error = std::hypot(fast->error, slow->error),
                 degrees = std::min(fast->degrees, slow->degrees);
    if (more < notable) return KindsDiffer::none;
    if (degrees >= 1 && more >= student_quantile(clear_level, degrees) * error) return KindsDiffer::clear;
    return error == no_reading || more >= perhaps_errors * error ? KindsDiffer::perhaps : KindsDiffer::none;
}

ByInputs by_inputs(const Interval& all, const std::vector<PairOfKind>& pairs, double level) {
    const std::vector<RatioOfKind> kinds = ratios_by_kind(pairs);
    if (kinds.size() < 2) return {all};
    const KindsDiffer differ = kinds_differ(kinds);
    const RatioOfKind& slowest = *slowest_and_fastest(kinds).first;
    if (differ == KindsDiffer::clear) return {interval_of_kind(slowest, pairs, level), differ, slowest.kind};
    const Interval at_most = capped(all, together(kinds, level));
    if (differ == KindsDiffer::none) return {at_most};
    const double lower = std::min(at_most.lower, interval_of_kind(slowest, pairs, level).lower);
    return {{at_most.estimate, lower, at_most.upper}, differ, slowest.kind};
}

}  // namespace hone
