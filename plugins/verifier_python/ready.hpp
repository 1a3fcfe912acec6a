// Whether a Python has what verifier.python needs: for hone_verifier.facts, and so for `hone doctor`.
#pragma once
#include <string>
#include "hone/plugin.hpp"

namespace hone::python {

// "ready", and "cure" where something is missing. works: it has answered, so that nothing is tried. gpu: a CUDA driver
// is needed, too.
void tell_ready(const std::string& python, bool works, bool gpu, Out);

}  // namespace hone::python
