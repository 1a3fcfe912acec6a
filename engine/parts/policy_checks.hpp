// parts/policy_checks.hpp: what a policy's part gives is checked where it comes in. A wrong number would be
// learnt from, added up, or fail later in a script that has no part in it. All throw Error(input) with the policy's
// name and the cure. policy: `policy "id"`.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include "hone/ext/learning.h"
#include "parts/policy.hpp"

namespace hone {

// What a part in C may have left unset: read as it stands, it would end this process or pass as another answer.
void check_given(const hone_answer&, const std::string& policy);
// Costs are added up. learns: the policy offers hone_learning, so an answer has its token ids and log-probabilities.
void check_answer(const Answer&, bool learns, const std::string& policy);
// Natural logarithms of probabilities: finite, at most 0.
void check_logp(std::span<const float> logp, const char* function, const std::string& policy);
// ids and sources of `encode`, of so many messages.
void check_encoded(std::span<const std::int32_t> ids, std::span<const std::int32_t> sources, std::size_t messages,
                   const std::string& policy);
// weighed: by sequence, whether `weigh` was called for it; empty where there was no weigh.
void check_stepped(const hone_stepped&, const std::vector<bool>& weighed, const std::string& policy);

}  // namespace hone
