// Tensors of a plan's library steps: memory of the call, seen in a shape that lies within it.
#pragma once
#include "verifier_cuda/plan/plan_fields.hpp"
#include "verifier_cuda/plan/plan_memory.hpp"
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {

using Shape = std::vector<std::int64_t>;

// "x", or {"x", shape = {...}, strides = {...}, offset = 64}: strides in elements (row-major if absent), offset in
// bytes. Throws PlanError.
Operand read_operand(const Field&, const PlanMemory&, std::uint32_t tensor);

Shape shape_of(const Operand&);
std::string printed(const Shape&);  // "[8, 64]"
bool is_row_major(const Operand&);
bool is_channels_last(const Operand&);  // the second dimension is the innermost one
bool overlap(const Operand&, const Operand&);

}  // namespace hone::cuda
