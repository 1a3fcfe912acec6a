// The system calls that the process of a Python program may make.
#pragma once
#include "hone/filter.hpp"

namespace hone::python {

// Throws std::runtime_error where libseccomp cannot write it.
Filter system_calls();

}  // namespace hone::python
