// Whether what was compiled can be launched as the plan says.
#pragma once
#include <string>
#include "cuda/compile/cubin.hpp"
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {

// Why a module does not fit: a kernel that it lacks, parameters that are not passed. Empty: it fits.
std::string misfit(const Program&, std::uint32_t module, const Cubin&);

}  // namespace hone::cuda
