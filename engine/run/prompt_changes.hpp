// run/prompt_changes.hpp: how the prompts of a rollout differ from those that its operation was recorded with.
#pragma once
#include "run/rollout_plan.hpp"

namespace hone {

// `another message 1 of prompt 2 (task "square"), line 3: "a", now "b"`
std::string changed_prompts(const Journal&, std::int64_t op, const std::vector<RolloutPrompt>&);

}  // namespace hone
