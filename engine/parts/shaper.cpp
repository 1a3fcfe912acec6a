#include "parts/shaper.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "parts/lending.hpp"

namespace hone {
namespace {

// A NaN that no arithmetic gives. What is still it when the part has returned was never written.
const double unwritten = std::nan("0x686f6e65");

bool is_unwritten(double value) {
    return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(unwritten);
}

}  // namespace

std::vector<Reward> rewards_of(const std::vector<double>& values, const Json& reasons, const std::string& place) {
    std::vector<Reward> rewards;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string answer = "answer " + std::to_string(i);
        if (std::isinf(values[i]))
            throw Error(Blame::input, place, answer + " got an infinite reward",
                        "give a finite number, or NaN to leave the answer out");
        const Json reason = reasons.value(std::to_string(i), Json(""));
        if (reason.is_null())
            throw Error(Blame::input, place, "the reason of " + answer + " is null, with a length",
                        "give its bytes, or a length of 0");
        if (reason.is_string() && !is_utf8(reason.get_ref<const std::string&>()))
            throw Error(Blame::input, place, "the reason of " + answer + " is no UTF-8");
        rewards.push_back({values[i], reason.is_string() ? reason.get<std::string>() : reason.dump()});
    }
    return rewards;
}

std::vector<Reward> Shaper::shape(const std::vector<Json>& judgements) {
    const auto& functions = *static_cast<const hone_shaper*>(handle_.part().functions);
    const Lendings lent(judgements, "hone.Judgement");
    std::vector<double> values(judgements.size(), unwritten);
    Collect reasons;
    handle_.call("shape", functions.shape, handle_.self(), lent.docs().data(),
                 static_cast<std::uint32_t>(lent.docs().size()), values.data(), reasons.out());
    tell_unwritten(values);
    return rewards_of(values, reasons.json(), handle_.name() + ": shape");
}

// Once: a part that forgets some of a group forgets them in each.
void Shaper::tell_unwritten(const std::vector<double>& values) {
    const auto left = std::count_if(values.begin(), values.end(), is_unwritten);
    if (!left || std::exchange(told_unwritten_, true)) return;
    Progress::warn(handle_.name() + ": shape: wrote no reward for " + std::to_string(left) + " of " +
                   std::to_string(values.size()) + " answers: they are left out; write NaN where that is meant");
}

}  // namespace hone
