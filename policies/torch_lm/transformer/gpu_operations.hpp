// gpu_operations.hpp: operations by the kernels of gpu/, with their gradients where they are wanted. LibTorch's own
// operators take some eight passes over the memory for each of these.
#pragma once
#include "torch_lm/transformer/operations.hpp"

namespace hone::lm {

struct Heads {
    at::Tensor q, k, v;  // [rows][heads or kv_heads][head_width]
};
// q and k rotated. pass.kernels is there.
Heads part_heads(const TensorPass& pass, const Config& config, const at::Tensor& qkv);
// Epsilon is the model's.
Normed add_norm_by_gpu(const gpu::Kernels& kernels, const at::Tensor& x, const at::Tensor& change,
                       const at::Tensor& weight);
at::Tensor swiglu_by_gpu(const gpu::Kernels& kernels, const at::Tensor& gate_up);

struct RowScores {
    at::Tensor logp, entropy, log_sum;  // [rows], float32, of softmax(logits / temperature)
};
// logits: [rows][vocabulary], float32; targets: [rows], int64
void score_by_gpu(const gpu::Kernels& kernels, const at::Tensor& logits, const at::Tensor& targets, double temperature,
                  const RowScores& to);
struct ScoreWeights {
    at::Tensor logp, entropy;  // [rows], float32
};
// d, like the logits: the gradient of sum(weights.logp * logp + weights.entropy * entropy) with respect to them
void score_gradient_by_gpu(const gpu::Kernels& kernels, const at::Tensor& logits, const at::Tensor& targets,
                           double temperature, const RowScores& scores, const ScoreWeights& weights,
                           const at::Tensor& d);

}  // namespace hone::lm
