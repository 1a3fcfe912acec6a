#include "run/rollout_plan.hpp"
#include <algorithm>
#include "base/hash.hpp"

namespace hone {
namespace {

Json key_of(const std::vector<PolicySession*>& policies) {
    if (policies.size() == 1) return policies.front()->key();
    Json all = Json::object();
    for (PolicySession* policy : policies) all[policy->name()] = policy->key().value("asks", Json::object());
    return {{"policies", std::move(all)}};
}

}  // namespace

Run& RolloutPlan::run() const { return prompts.empty() ? policy->run() : prompts.front().policy->run(); }

std::vector<PolicySession*> RolloutPlan::policies() const {
    std::vector<PolicySession*> all;
    for (const RolloutPrompt& prompt : prompts)
        if (std::find(all.begin(), all.end(), prompt.policy.get()) == all.end()) all.push_back(prompt.policy.get());
    if (all.empty()) all.push_back(policy.get());
    return all;
}

Json RolloutPlan::key() const {
    const std::vector<PolicySession*> all = policies();
    std::string texts;
    for (const RolloutPrompt& prompt : prompts) {
        texts += prompt.task->hash() + sha256(messages_to_json(prompt.messages).dump() + prompt.exemplars.dump());
        if (all.size() > 1) texts += prompt.policy->name();
    }
    Json key = {{"judge", judge->description()},
                {"prompts", sha256(texts)},
                {"group", group},
                {"temperature", sampling.temperature},
                {"top_p", sampling.top_p},
                {"min_p", sampling.min_p},
                {"top_k", sampling.top_k},
                {"stop", sampling.stop},
                {"max_tokens", sampling.max_tokens},
                {"stage", stage},
                {"step", step}};
    key.update(key_of(all));
    return key;
}

}  // namespace hone
