// Which shapes convolutions take and make.
#pragma once
#include "verifier_cuda/plan/plan_operands.hpp"

namespace hone::cuda {

// Of argument i (from 0); throw PlanError. least 0: from 2 on.
void need_rank(const Field& args, const LibraryStep&, std::size_t i, std::uint32_t least, std::uint32_t most);
void need_bias(const Field& args, const LibraryStep&, std::int64_t channels);  // argument 3, if it is there

// Of n dimensions: the shape of the result; the step gets what is said of the window.
template <std::uint32_t n> Shape convolution(const Field& args, LibraryStep&);
template <std::uint32_t n> Shape transposed_convolution(const Field& args, LibraryStep&);

}  // namespace hone::cuda
