#include "parts/shaper.hpp"
#include <cmath>
#include "base/printable.hpp"
#include "parts/lending.hpp"

namespace hone {

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
    std::vector<double> values(judgements.size(), NAN);
    Collect reasons;
    handle_.call("shape", functions.shape, handle_.self(), lent.docs().data(),
                 static_cast<std::uint32_t>(lent.docs().size()), values.data(), reasons.out());
    return rewards_of(values, reasons.json(), handle_.name() + ": shape");
}

}  // namespace hone
