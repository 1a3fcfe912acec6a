#include "decoder.hpp"
#include <algorithm>
#include "gemm.hpp"

namespace hone::lm {

std::vector<float> Decoder::prefill(const Parameters& weights, const std::vector<std::int32_t>& prompt, KvCache::Stretch& cached) {
    const Config& c = model_.config();
    Packed packed;
    packed.add(prompt.data(), static_cast<std::int64_t>(prompt.size()));
    model_.forward(weights, packed, activations_, false, [&](std::int64_t layer, const float* qkv) {
        for (std::int64_t t = 0; t < packed.tokens(); ++t) cached.put(layer, t, qkv + t * c.qkv_width());
    });
    std::vector<float> logits(static_cast<std::size_t>(c.vocabulary));
    linear(activations_.normed + (packed.tokens() - 1) * c.width, weights.head, logits.data(), 1, c.width, c.vocabulary);
    return logits;
}

void Decoder::attend(std::int64_t layer, const DecodeRow* rows, std::int64_t n) {
    const Config& c = model_.config();
    for (std::int64_t r = 0; r < n; ++r) {
        const DecodeRow& row = rows[r];
        float* qkv = &qkv_[r * c.qkv_width()];
        row.answer->put(layer, row.answer->tokens() - 1, qkv);
        blocks_.clear();
        row.prompt->append_blocks(layer, row.prompt->tokens(), blocks_);
        row.answer->append_blocks(layer, row.answer->tokens(), blocks_);
        const auto n_blocks = static_cast<std::int64_t>(blocks_.size());
        scores_.resize(std::max(scores_.size(), static_cast<std::size_t>(n_blocks * block_tokens)));
        cached_attention(model_.shape(), qkv, blocks_.data(), n_blocks, &attended_[r * c.q_width()], scores_.data());
    }
}

const float* Decoder::step(const Parameters& weights, const DecodeRow* rows, std::int64_t n) {
    const Config& c = model_.config();
    const auto epsilon = static_cast<float>(c.norm_epsilon);
    x_.resize(n * c.width), inverse_.resize(n), normed_.resize(n * c.width), qkv_.resize(n * c.qkv_width()),
        attended_.resize(n * c.q_width());
    gate_up_.resize(n * 2 * c.mlp_width), hidden_.resize(n * c.mlp_width), logits_.resize(n * c.vocabulary), positions_.resize(n);
    for (std::int64_t r = 0; r < n; ++r) {
        std::copy_n(weights.embedding + rows[r].token * c.width, c.width, &x_[r * c.width]);
        positions_[r] = rows[r].position;
    }
    for (std::int64_t l = 0; l < c.layers; ++l) {
        const LayerWeights& w = weights.layers[l];
        rms_norm(x_.data(), w.attention_norm, normed_.data(), inverse_.data(), n, c.width, epsilon);
        linear(normed_.data(), w.qkv, qkv_.data(), n, c.width, c.qkv_width());
        rotate(qkv_.data(), c.qkv_width(), c.heads + c.kv_heads, c.head_width, positions_.data(), model_.rope(), n, 1);
        attend(l, rows, n);
        linear(attended_.data(), w.out, x_.data(), n, c.q_width(), c.width, true);
        rms_norm(x_.data(), w.mlp_norm, normed_.data(), inverse_.data(), n, c.width, epsilon);
        linear(normed_.data(), w.gate_up, gate_up_.data(), n, c.width, 2 * c.mlp_width);
        swiglu(gate_up_.data(), hidden_.data(), n, c.mlp_width);
        linear(hidden_.data(), w.down, x_.data(), n, c.mlp_width, c.width, true);
    }
    rms_norm(x_.data(), weights.norm, normed_.data(), inverse_.data(), n, c.width, epsilon);
    linear(normed_.data(), weights.head, logits_.data(), n, c.width, c.vocabulary);
    return logits_.data();
}

}  // namespace hone::lm
