// lint/lint_checks.hpp: what the linter asks of a task beside its trivial programs. Each adds to the reasons, or to the
// notes what is no fault.
#pragma once
#include "lint/lint.hpp"
#include "lint/lint_sample.hpp"

namespace hone {

bool check_footprint(const Task&, LintResult&);      // false: too large to be tried here
void check_randomness(LintSample&, LintResult&);     // the reference repeats itself
void check_distributions(LintSample&, LintResult&);  // more than one
void check_drawn_shapes(LintSample&, LintResult&);   // the reference has an answer at what the judge draws
void check_finite(LintSample&, LintResult&);         // at every shape and in every distribution
void check_tolerance(LintSample&, LintResult&);      // the truth itself passes
void check_spread(LintSample&, LintResult&);         // outputs differ by far more than the tolerance

}  // namespace hone
