#include "parts/shaper.hpp"
#include <cmath>
#include "parts/lending.hpp"

namespace hone {

std::vector<Reward> Shaper::shape(const std::vector<Json>& judgements) {
    const auto& functions = *static_cast<const hone_shaper*>(handle_.part().functions);
    const Lendings lent(judgements, "hone.Judgement");
    std::vector<double> values(judgements.size(), NAN);
    Collect reasons;
    handle_.call("shape", functions.shape, handle_.self(), lent.docs().data(),
                 static_cast<std::uint32_t>(lent.docs().size()), values.data(), reasons.out());
    std::vector<Reward> rewards;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isinf(values[i]))
            throw Error(Blame::input, "shaper \"" + recipe().id + "\"",
                        "answer " + std::to_string(i) + " got an infinite reward",
                        "give a finite number, or NaN to leave the answer out");
        const Json reason = reasons.json().value(std::to_string(i), Json(""));
        rewards.push_back({values[i], reason.is_string() ? reason.get<std::string>() : reason.dump()});
    }
    return rewards;
}

}  // namespace hone
