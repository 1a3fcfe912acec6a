// aten_attention.hpp: attention by LibTorch's operators, sequences padded to the longest.
#pragma once
#include <ATen/core/Tensor.h>
#include "torch_lm/model/kernels.hpp"

namespace hone::lm {

struct Padding {
    std::int64_t sequences = 0, longest = 0;
    at::Tensor slots;  // where each row goes in [sequences][longest]
};
Padding pad(const std::vector<std::int64_t>& begin, c10::Device device);

// qkv: [n][q | k | v], rotated; returns [n][heads * head_width].
at::Tensor causal_attention(const AttentionShape& shape, const Padding& padding, const at::Tensor& qkv);
// Returns the gradient with respect to qkv.
at::Tensor causal_attention_gradient(const AttentionShape& shape, const Padding& padding, const at::Tensor& qkv,
                                     const at::Tensor& d_out);
// q: [n][heads * head_width]; cache: [blocks][block_tokens][keys, values][kv_heads][head_width]; blocks, used:
// [n][most_blocks]
at::Tensor cached_attention(const AttentionShape& shape, const at::Tensor& q, const at::Tensor& cache,
                            const at::Tensor& blocks, const at::Tensor& used);

}  // namespace hone::lm
