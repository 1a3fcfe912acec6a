#include "torch_lm/sampling/token_draw.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include "hone/inputs.h"
#include "torch_lm/host/kernels.hpp"

namespace hone::lm {
namespace {

TokenDraw draw_from_nucleus(const std::vector<float>& p, double total, double top_p, double uniform) {
    std::vector<std::int32_t> order(p.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] > p[b]; });
    std::size_t kept = 0;
    double mass = 0;
    while (kept < order.size() && (kept == 0 || mass < top_p * total)) mass += p[order[kept++]];
    double left = uniform * mass;
    std::size_t at = 0;
    while (at + 1 < kept && (left -= p[order[at]]) >= 0) ++at;
    return {order[at], static_cast<float>(std::log(p[order[at]] / mass))};
}

TokenDraw draw_from_all(const std::vector<float>& p, double total, double uniform) {
    double left = uniform * total;
    std::size_t at = 0, likely = 0;
    for (; at < p.size(); ++at) {
        if (p[at] > 0) likely = at;
        if ((left -= p[at]) < 0) break;
    }
    if (at == p.size()) at = likely;  // rounding: the last token that can be drawn
    return {static_cast<std::int32_t>(at), static_cast<float>(std::log(p[at] / total))};
}

}  // namespace

double token_uniform(std::uint64_t seed, std::uint32_t member, std::uint32_t position) {
    const hone_block bits = hone_philox(seed, position, member);
    return (static_cast<double>(bits.word[0]) + bits.word[1] * 0x1p-32) * 0x1p-32;
}

TokenDraw draw_token(const float* logits, std::int64_t vocabulary, const DrawRule& rule, std::vector<float>& scratch) {
    if (rule.temperature <= 0)
        return {static_cast<std::int32_t>(std::max_element(logits, logits + vocabulary) - logits), 0.0f};
    scratch.resize(static_cast<std::size_t>(vocabulary));
    const double total = host::softmax_terms(logits, vocabulary, static_cast<float>(rule.temperature), scratch.data());
    return rule.top_p < 1 ? draw_from_nucleus(scratch, total, rule.top_p, rule.uniform)
                          : draw_from_all(scratch, total, rule.uniform);
}

}  // namespace hone::lm
