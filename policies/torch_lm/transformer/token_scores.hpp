// token_scores.hpp: log-probabilities of tokens and their gradient, some rows of logits at a time: a vocabulary of
// 150,000 makes 600 kB of logits a row. In float32.
#pragma once
#include <ATen/core/Tensor.h>

namespace hone::lm {

// outputs: [rows][width], after the final norm; head: [vocabulary][width]; targets: [rows]
at::Tensor logits_of(const at::Tensor& outputs, const at::Tensor& head);

struct RowScores {
    at::Tensor logp, entropy;  // [rows], float32, of softmax(logits / temperature)
};
RowScores score_rows(const at::Tensor& outputs, const at::Tensor& head, const at::Tensor& targets, double temperature);
// weight, entropy_weight: [rows], float32. Adds the gradient of sum(weight * logp + entropy_weight * entropy) to d_head
// (float32; undefined: not asked for), and returns the one with respect to outputs, of their type.
at::Tensor score_gradient(const at::Tensor& outputs, const at::Tensor& head, const at::Tensor& targets,
                          double temperature, const at::Tensor& weight, const at::Tensor& entropy_weight,
                          at::Tensor d_head);

}  // namespace hone::lm
