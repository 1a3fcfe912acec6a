// template.hpp: the Jinja that chat templates are written in, as transformers sets it up: a sandbox in which values do
// not change, trim_blocks, lstrip_blocks, break and continue, the functions raise_exception and strftime_now. A
// template comes from strangers: what it may compute is bounded. It cannot reach anything but what it is given.
#pragma once
#include "torch_lm/text/jinja/statements.hpp"

namespace hone::lm::jinja {

class Template {
public:
    // place: where the text comes from; cure: what a user does about a template that fails. Throws Refused, "PLACE,
    // line N: CAUSE; WHAT ITS AUTHOR CAN DO; CURE", as `render` does.
    Template(std::string_view text, std::string place, std::string cure);
    // The variables are plain data. now: what strftime_now tells, in local time.
    Text render(const std::vector<std::pair<std::string, Value>>& variables, std::time_t now) const;

private:
    std::string place_, cure_;
    Block block_;
};

}  // namespace hone::lm::jinja
