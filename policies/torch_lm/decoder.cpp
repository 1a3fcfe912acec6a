#include "decoder.hpp"
#include <algorithm>

namespace hone::lm {

void Decoder::run(const Parameters& weights, const CacheMemory& cache, std::int64_t n) {
    const Config& c = model_.config();
    model_.forward(*device_, weights, pass_, activations_, false, &cache);
    logits_.reserve(static_cast<std::size_t>(n * c.vocabulary));
    device_->linear(activations_.normed + (pass_.tokens() - n) * c.width, weights.head, logits_.data(), n, c.width, c.vocabulary);
}

std::vector<float> Decoder::prefill(const Parameters& weights, const std::vector<std::int32_t>& prompt, KvCache& cache,
                                    const KvCache::Stretch& cached) {
    pass_ = {};
    pass_.add(prompt.data(), static_cast<std::int64_t>(prompt.size()));
    for (std::int64_t t = 0; t < pass_.tokens(); ++t) pass_.slots.push_back(cached.slot(t));
    run(weights, cache.memory(), 1);
    return logits_.host(static_cast<std::size_t>(model_.config().vocabulary));
}

void Decoder::look_back(const KvCache::Stretch& stretch, std::int64_t& at) {
    for (std::int64_t left = stretch.tokens(); const std::int32_t block : stretch.blocks()) {
        pass_.blocks[at] = block;
        pass_.block_used[at++] = static_cast<std::int32_t>(std::min(block_tokens, left));
        left -= block_tokens;
    }
}

void Decoder::step(const Parameters& weights, const DecodeRow* rows, std::int64_t n, KvCache& cache, TokenDraw* to) {
    pass_ = {};
    rules_.clear();
    for (std::int64_t r = 0; r < n; ++r) {
        pass_.ids.push_back(rows[r].token);
        pass_.positions.push_back(rows[r].position);
        rules_.push_back(rows[r].rule);
        pass_.slots.push_back(rows[r].answer->slot(rows[r].answer->tokens() - 1));
        const std::size_t blocks = rows[r].prompt->blocks().size() + rows[r].answer->blocks().size();
        pass_.most_blocks = std::max(pass_.most_blocks, static_cast<std::int64_t>(blocks));
    }
    pass_.blocks.resize(n * pass_.most_blocks), pass_.block_used.resize(n * pass_.most_blocks);
    for (std::int64_t r = 0; r < n; ++r) {
        std::int64_t at = r * pass_.most_blocks;
        look_back(*rows[r].prompt, at);
        look_back(*rows[r].answer, at);
    }
    run(weights, cache.memory(), n);
    device_->draw(logits_.data(), n, model_.config().vocabulary, rules_.data(), to);
}

}  // namespace hone::lm
