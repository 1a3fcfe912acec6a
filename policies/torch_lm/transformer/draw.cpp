#include "torch_lm/transformer/draw.hpp"
#include <ATen/ATen.h>
#include <algorithm>
#include <limits>

namespace hone::lm {
namespace {

struct Drawn {
    at::Tensor at, logp;
};  // [n][1]

// From the first columns of p (unnormalised) whose sum reaches the share `limit` of the whole, at least one.
Drawn draw_from(const at::Tensor& p, const at::Tensor& limit, const at::Tensor& uniform) {
    const at::Tensor sums = p.cumsum(-1, at::kDouble), total = sums.narrow(-1, p.size(1) - 1, 1);
    const at::Tensor kept = (sums - p).lt(limit * total).sum(-1, true).clamp_min_(1), mass = sums.gather(1, kept - 1);
    const at::Tensor at = at::minimum(sums.le(uniform * mass).sum(-1, true), sums.lt(mass).sum(-1, true));
    return {at, (p.gather(1, at) / mass).log()};
}

Drawn draw_from_nucleus(const at::Tensor& p, const at::Tensor& top_p, const at::Tensor& uniform) {
    const auto [sorted, order] = at::sort(p, /*stable=*/true, -1, /*descending=*/true);
    const Drawn drawn = draw_from(sorted, top_p, uniform);
    return {order.gather(1, drawn.at), drawn.logp};
}

void choose(Drawn& drawn, const at::Tensor& rows, const Drawn& other) {
    drawn = {at::where(rows, other.at, drawn.at), at::where(rows, other.logp, drawn.logp)};
}

at::Tensor upload(const DrawRule* rules, std::int64_t n, c10::Device device) {
    static_assert(sizeof(DrawRule) == 3 * sizeof(double));
    return at::from_blob(const_cast<DrawRule*>(rules), {n, 3}, at::TensorOptions(at::kDouble)).to(device);
}

}  // namespace

void draw_tokens(const at::Tensor& logits, const DrawRule* rules, TokenDraw* to) {
    const std::int64_t n = logits.size(0);
    const at::Tensor columns = upload(rules, n, logits.device());
    const at::Tensor temperature = columns.narrow(1, 0, 1), top_p = columns.narrow(1, 1, 1),
                     uniform = columns.narrow(1, 2, 1);
    const at::Tensor greedy = temperature.le(0), divisor = temperature.masked_fill(greedy, 1).to(at::kFloat);
    const at::Tensor p = ((logits - logits.amax(-1, true)) / divisor).exp_();
    Drawn drawn = draw_from(p, at::full_like(top_p, std::numeric_limits<double>::infinity()), uniform);
    if (std::any_of(rules, rules + n, [](const DrawRule& r) { return r.top_p < 1; }))
        choose(drawn, top_p.lt(1), draw_from_nucleus(p, top_p, uniform));
    if (std::any_of(rules, rules + n, [](const DrawRule& r) { return r.temperature <= 0; }))
        choose(drawn, greedy, {logits.argmax(-1, true), at::zeros_like(drawn.logp)});
    const at::Tensor here = at::cat({drawn.at.to(at::kDouble), drawn.logp}, 1).cpu();
    const double* row = here.const_data_ptr<double>();
    for (std::int64_t i = 0; i < n; ++i, row += 2)
        to[i] = {static_cast<std::int32_t>(row[0]), static_cast<float>(row[1])};
}

}  // namespace hone::lm
