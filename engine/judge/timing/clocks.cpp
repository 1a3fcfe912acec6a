#include "judge/timing/clocks.hpp"
#include <algorithm>
#include <cmath>
#include "base/quantity.hpp"
#include "judge/timing/sequential_test.hpp"

namespace hone {
namespace {

constexpr double call_tolerances = 4;        // of one call, whose independent clock is as noisy as it is coarse
constexpr double forged_tolerances = 6;      // in half of the calls: no two honest clocks differ so
constexpr double most_mismatches = 1.0 / 8;  // of the calls, more than the other side lets expect
constexpr std::size_t least_calls = 8;       // fewer say little

double middle(const std::vector<double>& gaps) { return gaps.empty() ? 0 : quantile(gaps, 0.5); }
// of the middle half of them
double half_width(const std::vector<double>& of) { return quantile(of, 0.75) - quantile(of, 0.25); }
double mean_or_none(const std::vector<double>& gaps) { return gaps.empty() ? 0 : mean(gaps); }

}  // namespace

bool clock_was_moved(const CandidateFailure& failure) {
    return failure.verdict == Verdict::REWARD_HACK && failure.facts.value("kind", "") == "clock";
}

// a call cannot widen it for the others
double Clocks::Side::tolerance() const { return tolerances.empty() ? 0 : quantile(tolerances, 0.5); }

void Clocks::add(int side, const IndependentClock& independent) {
    ++sides_[side].calls;
    if (!(independent.value > 0) || !std::isfinite(independent.gap)) return;
    sides_[side].gaps.push_back(independent.gap);
    sides_[side].shares.push_back(independent.gap / independent.value);
    sides_[side].values.push_back(independent.value);
    sides_[side].tolerances.push_back(independent.tolerance);
    if (fit(independent)) sides_[side].fit.push_back(independent.gap);
}

// In either direction: a call whose own clock says far more could make up for many that say a little less.
bool Clocks::fit(const IndependentClock& independent) {
    return !(independent.value > 0) || std::fabs(independent.gap) <= call_tolerances * independent.tolerance;
}

bool Clocks::doubtful() const {
    const Side &own = sides_[0], &other = sides_[1];
    const double expected = static_cast<double>(own.gaps.size()) * other.mismatch_share();
    if (static_cast<double>(own.mismatches()) - expected > most_mismatches * static_cast<double>(own.calls))
        return true;
    if (own.fit.empty()) return false;  // the independent clock was its clock
    const double more = mean_or_none(own.fit) - mean_or_none(other.fit);
    return more > own.tolerance() || (!other.fit.empty() && -more > other.tolerance());
}

// A gain's gaps scatter as the calls' times do, its shares do not.
std::optional<double> Clocks::Side::steady_offset() const {
    if (gaps.size() < least_calls) return std::nullopt;
    const double gap = middle(gaps), reach = call_tolerances * tolerance();
    const bool steady = std::min(half_width(gaps), half_width(shares) * middle(values)) <= reach;
    return steady && std::fabs(gap) > reach ? std::optional(gap) : std::nullopt;
}

std::optional<CandidateFailure> Clocks::forged(int side, const std::string& unit) const {
    const Side &own = sides_[side], &other = sides_[1 - side];
    const double in_proportion = other.steady_offset() ? middle(other.shares) * middle(own.values) : 0,
                 gap = middle(own.gaps), more = gap - std::max({0.0, middle(other.gaps), in_proportion});
    if (own.gaps.size() < least_calls || more <= forged_tolerances * own.tolerance()) return std::nullopt;
    return CandidateFailure{Verdict::REWARD_HACK,
                            "the clock in its own process was moved: the bench's, over the same calls, shows " +
                                engineering(gap, unit) + " more",
                            {{"kind", "clock"},
                             {"clock_gap", gap},
                             {"clock_tolerance", own.tolerance()},
                             {"clock_calls", own.gaps.size()},
                             {"clock_mismatches", own.mismatches()}},
                            {{"property", "clock"}}};
}

}  // namespace hone
