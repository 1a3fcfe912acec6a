// The system calls that the process of a Python program may make.
#pragma once
#include "hone/filter.hpp"

namespace hone::python {

// driver: a device's driver works in the process, too. Throws std::runtime_error where libseccomp cannot write it.
Filter system_calls(bool driver);

}  // namespace hone::python
