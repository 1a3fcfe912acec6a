#include "torch_lm/sampling/token_draw.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include "hone/inputs.h"
#include "torch_lm/host/kernels.hpp"

namespace hone::lm {
namespace {

// The least probability (unnormalised, the largest is 1) that top_k and top_p leave, of those of at least `least`.
float least_kept(const std::vector<float>& p, float least, const DrawRule& rule) {
    std::vector<float> sorted;
    std::copy_if(p.begin(), p.end(), std::back_inserter(sorted), [&](float x) { return x >= least; });
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const auto behind = [&](std::size_t n) {  // of n and what is as likely as the last
        return std::upper_bound(sorted.begin(), sorted.end(), sorted[n - 1], std::greater<>());
    };
    if (rule.top_k > 0 && static_cast<std::size_t>(rule.top_k) < sorted.size())
        sorted.erase(behind(static_cast<std::size_t>(rule.top_k)), sorted.end());
    if (rule.top_p >= 1) return sorted.back();
    const double wanted = rule.top_p * std::accumulate(sorted.begin(), sorted.end(), 0.0);
    std::size_t kept = 0;
    for (double mass = 0; kept < sorted.size() && (kept == 0 || mass < wanted);) mass += sorted[kept++];
    return sorted[kept - 1];
}

double filter(std::vector<float>& p, const DrawRule& rule) {
    const float least = least_kept(p, static_cast<float>(rule.min_p), rule);
    double total = 0;
    for (float& x : p) total += x = x >= least ? x : 0;
    return total;
}

TokenDraw draw_from(const std::vector<float>& p, double total, double uniform) {
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

TokenDraw draw_token(const float* logits, std::int64_t vocabulary, const DrawRule& rule, double uniform,
                     std::vector<float>& scratch) {
    // Weights that are NaN or infinite: no token can be drawn, and the log-probability says so.
    if (!std::all_of(logits, logits + vocabulary, [](float one) { return std::isfinite(one); })) return {0, NAN};
    if (rule.temperature <= 0)
        return {static_cast<std::int32_t>(std::max_element(logits, logits + vocabulary) - logits), 0.0f};
    scratch.resize(static_cast<std::size_t>(vocabulary));
    double total = host::softmax_terms(logits, vocabulary, static_cast<float>(rule.temperature), scratch.data());
    if (rule.top_p < 1 || rule.top_k > 0 || rule.min_p > 0) total = filter(scratch, rule);
    return draw_from(scratch, total, uniform);
}

}  // namespace hone::lm
