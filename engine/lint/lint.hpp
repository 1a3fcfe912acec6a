// lint/lint.hpp: is a task worth judging anybody by? Trivial programs (zeros, a constant, an alias of an input, a part
// of the data, an ignored input) are put to the judge's own comparison, and a task that one of them passes is refused.
// Nothing is compiled: a trivial program is numbers made from the truth or by the task's definition on altered inputs.
//
// Asked at the timed shape only, in every distribution that the judge uses: a program is told its sizes, so what passes
// there wins, however right hidden shapes must be. They are of three kinds. Idle ones save work, and passing is
// always a fault. Slips (a wrong axis, a shift, a clamp) may be right by the task's own symmetry: they count where
// their numbers differ from the truth by more than rounding. Narrow ones round inputs or outputs to fewer bits: they
// count where the error is above a tenth of what the judge allows, for below that no test can tell them from an honest
// sum in another order.
#pragma once
#include <string>
#include <vector>
#include "domain/task.hpp"
#include "parts/library.hpp"

namespace hone {

struct LintResult {
    std::vector<std::string> reasons;  // for a refusal: "WORD: a sentence"; none: the task is accepted
    std::vector<std::string> notes;    // of the same form: what a person may want to know
};

// reference: the recipe of what runs the task's definition, on the host. Keys follow from a fixed seed, so that a task
// is always judged alike. A definition that cannot run is a reason, too. Throws PartBroken, and Error(environment)
// where a part lacks what it needs.
LintResult lint(const Task&, const Recipe& reference);

}  // namespace hone
