#include "judge/timing/clocks.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "judge/timing/sequential_test.hpp"

namespace hone {
namespace {

constexpr double call_tolerances = 4;        // of one call, whose independent clock is as noisy as it is coarse
constexpr double forged_tolerances = 6;      // in half of the calls: no two honest clocks differ so
constexpr double most_mismatches = 1.0 / 8;  // of the calls, more than the other side lets expect
constexpr std::size_t least_calls = 8;       // fewer say little

double middle(const std::vector<double>& gaps) { return gaps.empty() ? 0 : quantile(gaps, 0.5); }
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

std::optional<double> Clocks::steady_offset() const {
    const Side& other = sides_[1];
    if (other.gaps.size() < least_calls) return std::nullopt;
    const double gap = middle(other.gaps), reach = call_tolerances * other.tolerance();
    const bool steady = quantile(other.gaps, 0.75) - quantile(other.gaps, 0.25) <= reach;
    return steady && std::fabs(gap) > reach ? std::optional(gap) : std::nullopt;
}

std::optional<CandidateFailure> Clocks::forged(int side) const {
    const Side &own = sides_[side], &other = sides_[1 - side];
    const double gap = middle(own.gaps), more = gap - std::max(0.0, middle(other.gaps));
    if (own.gaps.size() < least_calls || more <= forged_tolerances * own.tolerance()) return std::nullopt;
    char reason[160];
    std::snprintf(reason, sizeof reason,
                  "the clock in its own process was moved: the bench's, over the same calls, shows %.1f us more",
                  1e6 * gap);
    return CandidateFailure{Verdict::REWARD_HACK,
                            reason,
                            {{"kind", "clock"},
                             {"clock_gap", gap},
                             {"clock_tolerance", own.tolerance()},
                             {"clock_calls", own.gaps.size()},
                             {"clock_mismatches", own.mismatches()}},
                            {{"property", "clock"}}};
}

}  // namespace hone
