// attention.hpp: causal attention of a pass by LibTorch's operators; differentiable without a cache.
#pragma once
#include "torch_lm/transformer/pass.hpp"

namespace hone::lm {

// qkv: [rows][heads, then keys, then values][head_width], not yet rotated. Returns [rows][heads * head_width]. With a
// cache, keys and values go there first, and a row that has blocks attends to them instead of its sequence.
at::Tensor attend(const TensorPass& pass, const Config& config, std::int64_t layer, const at::Tensor& qkv);

}  // namespace hone::lm
