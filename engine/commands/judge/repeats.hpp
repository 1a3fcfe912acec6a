// commands/judge/repeats.hpp: `hone judge --repeat N`: one program judged several times, each time in a new bench.
// Times change from minute to minute by more than one interval tells (docs/judge.md, "What an interval does not know").
#pragma once
#include <vector>
#include "commands/judge/request.hpp"

namespace hone {

// One judgement for several that passed, at least one: the estimate is their geometric mean, the interval reaches from
// the lowest lower end to the highest upper end. The outcome is theirs if they have one and the interval does not
// contain 1; else "ambiguous".
Judgement hull(const std::vector<Judgement>& passed);

// Prints a line a judging and then the hull, or (json) one document hone.repeats/1. A rejected program ends it. Returns
// the exit code.
int judge_repeatedly(const JudgeRequest&, bool json);

}  // namespace hone
