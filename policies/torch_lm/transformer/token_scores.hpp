// token_scores.hpp: log-probabilities of tokens and their gradient, some rows of logits at a time: a vocabulary of
// 150,000 makes 600 kB of logits a row. In float32.
#pragma once
#include "torch_lm/transformer/gpu_operations.hpp"

namespace hone::lm {

// outputs: [rows][width], after the final norm; head: [vocabulary][width]
at::Tensor logits_of(const at::Tensor& outputs, const at::Tensor& head);

struct TokenTargets {
    at::Tensor head, tokens;  // tokens: [rows], int64
    double temperature = 1;
    const gpu::Kernels* kernels = nullptr;  // on a GPU; null: by LibTorch's operators
};
RowScores score_rows(const at::Tensor& outputs, const TokenTargets& targets);
// scores: of score_rows. Adds the gradient of sum(weights.logp * logp + weights.entropy * entropy) to d_head (float32;
// undefined: not asked for), and returns the one with respect to outputs, of their type.
at::Tensor score_gradient(const at::Tensor& outputs, const TokenTargets& targets, const RowScores& scores,
                          const ScoreWeights& weights, at::Tensor d_head);

}  // namespace hone::lm
