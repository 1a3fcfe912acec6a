// What a prompt says of Python programs.
#pragma once
#include <string>
#include "hone/plugin.hpp"

namespace hone::python {

inline constexpr const char* no_program = "# a program that does nothing\n";  // the empty program on a CUDA device

bool has_weights(const Doc& task);  // inputs that are constant
void tell_brief(const Doc& task, const std::string& device, Out);

}  // namespace hone::python
