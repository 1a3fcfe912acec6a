#include "judge/clocks.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "judge/measure.hpp"

namespace hone {
namespace {

constexpr double call_slacks = 4;        // of one call, whose witness is as noisy as it is coarse
constexpr double forged_slacks = 6;      // on the mean: no two honest clocks differ so
constexpr std::size_t most_unfit = 8;    // one of so many calls
constexpr std::size_t least_calls = 8;   // the mean of fewer says little

}  // namespace

double Clocks::Side::gap() const { return gaps.empty() ? 0 : trimmed_mean(gaps, trimmed_share); }
double Clocks::Side::slack() const { return slacks.empty() ? 0 : quantile(slacks, 0.5); }  // a call cannot widen it for the others

void Clocks::add(int side, const Witness& witness) {
    if (!(witness.value > 0) || !std::isfinite(witness.gap)) return;
    sides_[side].gaps.push_back(witness.gap);
    sides_[side].slacks.push_back(witness.slack);
    sides_[side].unfit += !fit(witness);
}

bool Clocks::fit(const Witness& witness) { return !(witness.value > 0) || witness.gap <= call_slacks * witness.slack; }

bool Clocks::doubtful() const {
    if (unwitnessed()) return false;  // the candidate's witness was its clock
    const auto often_unfit = [](const Side& side) { return side.unfit * most_unfit > side.gaps.size(); };
    const double slack = std::max(sides_[0].slack(), sides_[1].slack());
    return often_unfit(sides_[0]) || often_unfit(sides_[1]) || std::fabs(sides_[0].gap() - sides_[1].gap()) > slack;
}

std::optional<Ending> Clocks::forged(int side) const {
    const Side &own = sides_[side], &other = sides_[1 - side];
    const double more = own.gap() - std::max(0.0, other.gap());
    if (own.gaps.size() < least_calls || more <= forged_slacks * own.slack()) return std::nullopt;
    char reason[160];
    std::snprintf(reason, sizeof reason, "the clock in its own process was moved: the bench's, over the same calls, shows %.1f us more", 1e6 * own.gap());
    return Ending{Verdict::REWARD_HACK, reason, {{"kind", "clock"}},
                  {{"property", "clock"}, {"gap", own.gap()}, {"slack", own.slack()}, {"calls", own.gaps.size()}, {"unfit", own.unfit}}};
}

}  // namespace hone
