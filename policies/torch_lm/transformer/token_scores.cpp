#include "torch_lm/transformer/token_scores.hpp"
#include <ATen/ATen.h>
#include <algorithm>
#include <functional>
#include "torch_lm/transformer/project.hpp"

namespace hone::lm {
namespace {

constexpr std::int64_t most_logits = 1 << 26;  // of a piece: 256 MiB

void each_piece(std::int64_t rows, std::int64_t vocabulary,
                const std::function<void(std::int64_t first, std::int64_t n)>& body) {
    const std::int64_t step = std::max<std::int64_t>(most_logits / vocabulary, 1);
    for (std::int64_t first = 0; first < rows; first += step) body(first, std::min(step, rows - first));
}

at::Tensor log_probabilities(const at::Tensor& outputs, const at::Tensor& head, double temperature) {
    return at::log_softmax(logits_of(outputs, head).div_(temperature), -1);
}

at::Tensor entropy_of(const at::Tensor& log_p) { return (log_p.exp() * log_p).sum(-1, true).neg_(); }

}  // namespace

at::Tensor logits_of(const at::Tensor& outputs, const at::Tensor& head) {
    return project(outputs, head).to(at::kFloat);
}

RowScores score_rows(const at::Tensor& outputs, const at::Tensor& head, const at::Tensor& targets, double temperature) {
    const auto options = outputs.options().dtype(at::kFloat);
    RowScores scores{at::empty({outputs.size(0)}, options), at::empty({outputs.size(0)}, options)};
    each_piece(outputs.size(0), head.size(0), [&](std::int64_t first, std::int64_t n) {
        const at::Tensor log_p = log_probabilities(outputs.narrow(0, first, n), head, temperature);
        scores.logp.narrow(0, first, n).copy_(log_p.gather(1, targets.narrow(0, first, n).unsqueeze(1)).squeeze(1));
        scores.entropy.narrow(0, first, n).copy_(entropy_of(log_p).squeeze(1));
    });
    return scores;
}

at::Tensor score_gradient(const at::Tensor& outputs, const at::Tensor& head, const at::Tensor& targets,
                          double temperature, const at::Tensor& weight, const at::Tensor& entropy_weight,
                          at::Tensor d_head) {
    at::Tensor d_outputs = at::empty_like(outputs);
    each_piece(outputs.size(0), head.size(0), [&](std::int64_t first, std::int64_t n) {
        const at::Tensor rows = outputs.narrow(0, first, n), w = weight.narrow(0, first, n).unsqueeze(1),
                         e = entropy_weight.narrow(0, first, n).unsqueeze(1);
        const at::Tensor log_p = log_probabilities(rows, head, temperature);
        at::Tensor d = log_p.exp().mul_((log_p + entropy_of(log_p)).mul_(e).add_(w)).neg_();
        d.scatter_add_(1, targets.narrow(0, first, n).unsqueeze(1), w);
        d = d.div_(temperature).to(outputs.scalar_type());
        d_outputs.narrow(0, first, n).copy_(at::mm(d, head.to(d.scalar_type())));
        if (d_head.defined()) d_head.add_(at::mm(d.t(), rows));
    });
    return d_outputs;
}

}  // namespace hone::lm
