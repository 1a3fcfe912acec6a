// judge/correctness/rules.hpp: what the judge asks of every program of a task, in words for whoever writes one: the end
// of each verifier's brief.
#pragma once
#include <string>
#include "domain/task.hpp"

namespace hone {

// Which sizes, which values, which precision, and that bits must repeat. One paragraph.
std::string rules_of(const Task&);

}  // namespace hone
