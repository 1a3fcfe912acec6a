// Library steps of a launch plan: which operators there are, which arguments they take, which shape they make. All of
// it is checked here, so that LibTorch is never asked for anything else.
#pragma once
#include "verifier_cuda/plan/plan_fields.hpp"
#include "verifier_cuda/plan/plan_memory.hpp"
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {

// { torch = "conv2d", args = { "x", "w", stride = 2 }, out = "t" }; out: the tensor that "t" names, which may be
// written. Throws PlanError.
LibraryStep read_library_step(const Field&, const PlanMemory&, std::uint32_t out);

// Names of the operators that a plan can ask for: "addmm, baddbmm, ...".
std::string operator_names();

}  // namespace hone::cuda
