#include "torch_lm/transformer/token_scores.hpp"
#include <ATen/ATen.h>
#include <algorithm>
#include <functional>
#include "torch_lm/model/network.hpp"
#include "torch_lm/transformer/project.hpp"

namespace hone::lm {
namespace {

// Rows of logits that are held at once: 256 MiB of them, on a GPU 2 GiB.
std::int64_t rows_at_once(std::int64_t vocabulary, bool on_gpu) {
    const std::int64_t most_logits = on_gpu ? std::int64_t{1} << 29 : 1 << 26;
    return std::max<std::int64_t>(most_logits / vocabulary, 1);
}

void each_piece(const at::Tensor& outputs, const at::Tensor& head,
                const std::function<void(std::int64_t first, std::int64_t n)>& body) {
    const std::int64_t rows = outputs.size(0), step = rows_at_once(head.size(0), outputs.is_cuda());
    for (std::int64_t first = 0; first < rows; first += step) body(first, std::min(step, rows - first));
}

RowScores of_rows(const RowScores& all, std::int64_t first, std::int64_t n) {
    return {all.logp.narrow(0, first, n), all.entropy.narrow(0, first, n), all.log_sum.narrow(0, first, n)};
}

ScoreWeights of_rows(const ScoreWeights& all, std::int64_t first, std::int64_t n) {
    return {all.logp.narrow(0, first, n), all.entropy.narrow(0, first, n)};
}

void score(at::Tensor logits, const at::Tensor& tokens, double temperature, const RowScores& to) {
    logits.div_(temperature);
    const at::Tensor log_sum = at::logsumexp(logits, 1, /*keepdim=*/true), log_p = logits.sub_(log_sum);
    at::Tensor(to.log_sum).copy_(log_sum.squeeze(1));
    at::Tensor(to.logp).copy_(log_p.gather(1, tokens.unsqueeze(1)).squeeze(1));
    at::Tensor(to.entropy).copy_((log_p.exp() * log_p).sum(1).neg_());
}

at::Tensor gradient(at::Tensor logits, const at::Tensor& tokens, double temperature, const RowScores& scores,
                    const ScoreWeights& weights) {
    const at::Tensor log_p = logits.div_(temperature).sub_(scores.log_sum.unsqueeze(1)), w = weights.logp.unsqueeze(1);
    at::Tensor d =
        log_p.exp().mul_((log_p + scores.entropy.unsqueeze(1)).mul_(weights.entropy.unsqueeze(1)).add_(w)).neg_();
    return d.scatter_add_(1, tokens.unsqueeze(1), w).div_(temperature);
}

// sum += x^T y, x and y of a narrower type perhaps
void add_product(at::Tensor sum, const at::Tensor& x, const at::Tensor& y) {
    if (x.scalar_type() == sum.scalar_type()) sum.addmm_(x.t(), y);
    else if (x.is_cuda()) at::addmm_out(sum, sum, x.t(), y, sum.scalar_type());
    else sum.add_(at::mm(x.t(), y));
}

}  // namespace

// Logits and their gradient; by LibTorch's operators the softmax too.
double logits_bytes(const Config& c, Place place, std::int64_t tokens) {
    const bool gpu = place.gpu != on_host;
    const std::int64_t rows = std::min(rows_at_once(c.vocabulary, gpu), tokens);
    return (gpu ? 8.0 : 12.0) * static_cast<double>(rows * c.vocabulary);
}

at::Tensor logits_of(const at::Tensor& outputs, const at::Tensor& head) {
    if (outputs.is_cuda() && outputs.scalar_type() != at::kFloat) return at::mm(outputs, head.t(), at::kFloat);
    return project(outputs, head).to(at::kFloat);
}

RowScores score_rows(const at::Tensor& outputs, const TokenTargets& targets) {
    const auto empty = [&] { return at::empty({outputs.size(0)}, outputs.options().dtype(at::kFloat)); };
    RowScores scores{empty(), empty(), empty()};
    each_piece(outputs, targets.head, [&](std::int64_t first, std::int64_t n) {
        const at::Tensor logits = logits_of(outputs.narrow(0, first, n), targets.head),
                         tokens = targets.tokens.narrow(0, first, n);
        const RowScores to = of_rows(scores, first, n);
        if (targets.kernels) score_by_gpu(*targets.kernels, logits, tokens, targets.temperature, to);
        else score(logits, tokens, targets.temperature, to);
    });
    return scores;
}

at::Tensor score_gradient(const at::Tensor& outputs, const TokenTargets& targets, const RowScores& scores,
                          const ScoreWeights& weights, at::Tensor d_head) {
    at::Tensor d_outputs = at::empty_like(outputs);
    each_piece(outputs, targets.head, [&](std::int64_t first, std::int64_t n) {
        const at::Tensor rows = outputs.narrow(0, first, n), tokens = targets.tokens.narrow(0, first, n),
                         logits = logits_of(rows, targets.head);
        at::Tensor d;
        if (targets.kernels) {
            d = at::empty(logits.sizes(), outputs.options());
            score_gradient_by_gpu(*targets.kernels, logits, tokens, targets.temperature, of_rows(scores, first, n),
                                  of_rows(weights, first, n), d);
        } else {
            d = gradient(logits, tokens, targets.temperature, of_rows(scores, first, n), of_rows(weights, first, n))
                    .to(outputs.scalar_type());
        }
        d_outputs.narrow(0, first, n).copy_(at::mm(d, targets.head.to(d.scalar_type())));
        if (d_head.defined()) add_product(d_head, d, rows);
    });
    return d_outputs;
}

}  // namespace hone::lm
