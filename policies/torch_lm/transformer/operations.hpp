// operations.hpp: what lies between the matrix products of a layer. By LibTorch's operators; where nothing is learnt,
// on a CPU in float32, by the kernels of host/, each in one pass over the rows; on a GPU by those of gpu/.
#pragma once
#include "torch_lm/transformer/pass.hpp"

namespace hone::lm {

bool by_kernels(const at::Tensor& x);

// RMSNorm over the last dimension (Zhang and Sennrich, arXiv 1910.07467), in float32.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);
struct Normed {
    at::Tensor x, y;  // y: RMSNorm of x
};
// x + change, normed; change may be undefined: nothing is added.
Normed add_norm(const TensorPass& pass, const at::Tensor& x, const at::Tensor& change, const at::Tensor& weight,
                double epsilon);
// Rotary positions (Su et al., arXiv 2104.09864), half-split pairs, in float32, for the first `turned` heads of heads:
// [rows][all heads][head_width], whose memory may be used for the result.
at::Tensor rotate(const TensorPass& pass, const at::Tensor& heads, std::int64_t turned);
// SwiGLU (Shazeer, arXiv 2002.05202): silu(gate) up; gate_up: [rows][gate | up]
at::Tensor swiglu(const TensorPass& pass, const at::Tensor& gate_up);

}  // namespace hone::lm
