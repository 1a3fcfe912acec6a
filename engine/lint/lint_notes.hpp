// lint/lint_notes.hpp: what is no fault of a task but worth knowing: answers that are cheaper than the definition,
// short times.
#pragma once
#include "lint/lint_sample.hpp"

namespace hone {

void take_notes(LintSample&, std::vector<std::string>& notes);

}  // namespace hone
