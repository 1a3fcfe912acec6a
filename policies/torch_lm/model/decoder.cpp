#include "torch_lm/model/decoder.hpp"
#include <algorithm>
#include <numeric>

namespace hone::lm {

void Decoder::run(const Parameters& weights, const CacheMemory& cache, const std::vector<std::int64_t>& rows) {
    const Config& c = model_.config();
    const auto n = static_cast<std::int64_t>(rows.size());
    model_.forward(*device_, weights, pass_, activations_, false, &cache);
    outputs_.reserve(static_cast<std::size_t>(n * c.width));
    logits_.reserve(static_cast<std::size_t>(n * c.vocabulary));
    device_->gather(activations_.normed, rows.data(), n, c.width, outputs_.data());
    device_->linear(outputs_.data(), weights.head, logits_.data(), n, c.width, c.vocabulary);
}

void Decoder::prefill(const Parameters& weights, const PromptRow* prompts, std::int64_t n, KvCache& cache) {
    pass_ = {};
    std::vector<std::int64_t> last;
    for (std::int64_t p = 0; p < n; ++p) {
        const auto length = static_cast<std::int64_t>(prompts[p].ids->size());
        pass_.add(prompts[p].ids->data(), length);
        for (std::int64_t t = 0; t < length; ++t) pass_.slots.push_back(prompts[p].cached->slot(t));
        last.push_back(pass_.tokens() - 1);
    }
    run(weights, cache.memory(), last);
    const std::vector<float> logits = logits_.host(static_cast<std::size_t>(n * model_.config().vocabulary));
    for (std::int64_t p = 0; p < n; ++p) {
        const auto behind = logits.begin() + p * model_.config().vocabulary;
        prompts[p].logits->assign(behind, behind + model_.config().vocabulary);
    }
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
    std::vector<std::int64_t> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    run(weights, cache.memory(), all);
    device_->draw(logits_.data(), n, model_.config().vocabulary, rules_.data(), to);
}

}  // namespace hone::lm
