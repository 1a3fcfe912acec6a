// The operators of library steps as calls of LibTorch.
#pragma once
#include <ATen/core/Tensor.h>
#include <vector>
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {

// in: as many tensors as the step has. Writes `out`, which is dense. Throws what LibTorch throws.
void run_operator(const LibraryStep&, const std::vector<at::Tensor>& in, const at::Tensor& out, bool tf32);

}  // namespace hone::cuda
