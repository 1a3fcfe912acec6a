#include "judge/clocks.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "judge/measure.hpp"

namespace hone {
namespace {

constexpr double call_slacks = 4;        // of one call, whose witness is as noisy as it is coarse
constexpr double forged_slacks = 6;      // on the mean: no two honest clocks differ so
constexpr double most_unfit = 1.0 / 8;   // of the calls, more than on the other side
constexpr std::size_t least_calls = 8;   // the mean of fewer says little

double usual(const std::vector<double>& gaps) { return gaps.empty() ? 0 : trimmed_mean(gaps, trimmed_share); }

}  // namespace

double Clocks::Side::slack() const { return slacks.empty() ? 0 : quantile(slacks, 0.5); }  // a call cannot widen it for the others

void Clocks::add(int side, const Witness& witness) {
    ++sides_[side].calls;
    if (!(witness.value > 0) || !std::isfinite(witness.gap)) return;
    sides_[side].gaps.push_back(witness.gap);
    sides_[side].slacks.push_back(witness.slack);
    if (fit(witness)) sides_[side].fit.push_back(witness.gap);
}

bool Clocks::fit(const Witness& witness) { return !(witness.value > 0) || witness.gap <= call_slacks * witness.slack; }

bool Clocks::doubtful() const {
    if (2 * sides_[0].gaps.size() < sides_[0].calls) return false;  // of the candidate's calls most were timed by the witness
    const double more_unfit = std::fabs(static_cast<double>(sides_[0].unfit()) - static_cast<double>(sides_[1].unfit()));
    const double slack = std::max(sides_[0].slack(), sides_[1].slack());
    return more_unfit > most_unfit * static_cast<double>(sides_[0].gaps.size()) || std::fabs(usual(sides_[0].fit) - usual(sides_[1].fit)) > slack;
}

std::optional<Ending> Clocks::forged(int side) const {
    const Side &own = sides_[side], &other = sides_[1 - side];
    const double gap = usual(own.gaps), more = gap - std::max(0.0, usual(other.gaps));
    if (own.gaps.size() < least_calls || more <= forged_slacks * own.slack()) return std::nullopt;
    char reason[160];
    std::snprintf(reason, sizeof reason, "the clock in its own process was moved: the bench's, over the same calls, shows %.1f us more", 1e6 * gap);
    return Ending{Verdict::REWARD_HACK, reason, {{"kind", "clock"}},
                  {{"property", "clock"}, {"gap", gap}, {"slack", own.slack()}, {"calls", own.gaps.size()}, {"unfit", own.unfit()}}};
}

}  // namespace hone
