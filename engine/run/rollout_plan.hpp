// run/rollout_plan.hpp: what a rollout is asked for: prompts, who answers and who judges.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "run/judge_session.hpp"
#include "run/policy_session.hpp"

namespace hone {

struct RolloutPrompt {
    std::shared_ptr<PolicySession> policy;  // who answers it
    std::shared_ptr<const Task> task;
    std::vector<Message> messages;
    bool fenced = true;              // the program stands between fences
    Json exemplars = Json::array();  // hashes of those that the messages show
};

struct RolloutPlan {
    std::shared_ptr<PolicySession> policy;  // of a plan without prompts; else the prompts name theirs
    std::shared_ptr<JudgeSession> judge;
    std::vector<RolloutPrompt> prompts;
    int group = 1;
    Sampling sampling;
    std::string stage;
    Json step;

    Run& run() const;
    // Each of the prompts' policies once, in the order in which they are first named.
    std::vector<PolicySession*> policies() const;
    // What the journal knows the operation by. One policy: {policy, asks?}; several: {policies: {NAME: asks}}.
    Json key() const;
};

}  // namespace hone
