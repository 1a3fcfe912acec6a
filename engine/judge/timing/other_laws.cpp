#include "judge/timing/other_laws.hpp"
#include <algorithm>
#include <functional>
#include "base/process.hpp"

namespace hone {
namespace {

constexpr std::size_t most_calls = 3, pairs_a_call = 5, dense_blocks = 3;  // most_calls: of a block
constexpr double making_share = 0.25;                                      // of the seconds that a measurement may take

}  // namespace

OtherLaws::OtherLaws(const BenchContext& context, PreparedTask& prepared, Chance& random)
    : prepared_(prepared),
      random_(random),
      most_making_(making_share * context.settings.seconds),
      on_(context.settings.has("late-check") && context.settings.has("timed-check") &&
          context.settings.has("distributions")) {}

// Most of them early, since the block may end early and a program may be wrong in its first calls alone; one anywhere.
// A process does not know which block it is in, so the later ones have a call now and then, for the sake of time.
void OtherLaws::begin_block(std::size_t pairs, std::size_t least, bool verified) {
    const std::size_t most = std::clamp<std::size_t>(pairs / pairs_a_call, 1, most_calls);
    const std::size_t calls = !verified && blocks_++ < dense_blocks ? most : random_.below(2);
    places_.clear();
    while (places_.size() < calls) {
        const bool early = calls > 1 ? !places_.empty() : random_.below(2);
        places_.push_back(random_.below(early ? least : std::max<std::size_t>(pairs, 1)));
    }
    std::sort(places_.begin(), places_.end(), std::greater());
}

void OtherLaws::shuffle() {
    left_.assign(prepared_.variants().begin() + 1, prepared_.variants().end());
    for (std::size_t n = left_.size(); n > 1; --n) std::swap(left_[n - 1], left_[random_.below(n)]);
}

// A set that is not there costs its truth in float64.
const InputSet& OtherLaws::made(Variant variant) {
    const double begun = monotonic_seconds();
    const InputSet& set = prepared_.set(0, variant, 0);
    making_ += monotonic_seconds() - begun;
    return set;
}

const InputSet* OtherLaws::next(std::size_t in_block) {
    if (!on_ || places_.empty() || places_.back() > in_block) return nullptr;
    places_.pop_back();
    if (left_.empty()) shuffle();
    const auto found = std::find_if(left_.rbegin(), left_.rend(), [&](Variant variant) {
        return prepared_.keeps(0, variant) || making_ < most_making_;
    });
    if (found == left_.rend()) return left_.clear(), nullptr;
    const Variant drawn = *found;
    left_.erase(std::next(found).base());
    return &made(drawn);
}

}  // namespace hone
