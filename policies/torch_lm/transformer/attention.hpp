// attention.hpp: causal attention of a pass by LibTorch's operators; differentiable without a cache.
#pragma once
#include "torch_lm/transformer/pass.hpp"

namespace hone::lm {

// qk: [rows][heads + kv_heads][head_width], rotated; v: [rows][kv_heads][head_width]. Returns [rows][heads *
// head_width]. With a cache, keys and values go there first, and a row that has blocks attends to them instead of its
// sequence.
at::Tensor attend(const TensorPass& pass, std::int64_t layer, const at::Tensor& qk, const at::Tensor& v);

}  // namespace hone::lm
