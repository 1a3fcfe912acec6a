// What a plan may say about how its code is compiled.
#pragma once
#include <cstdint>
#include <string>

namespace hone::cuda {

struct Plan;
class Field;

// Index in plan.builds of the compiler options that root's `defines` and `options` ask for; a new set is added. Throws
// PlanError.
std::uint32_t choose_build(Plan&, const Field& root, bool fast_math);

bool is_name(const std::string&);  // of a variable in C

}  // namespace hone::cuda
