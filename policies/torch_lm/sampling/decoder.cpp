#include "torch_lm/sampling/decoder.hpp"
#include <algorithm>
#include <numeric>

namespace hone::lm {

Decoder::Decoder(const Model& model)
    : vocabulary_(model.config.vocabulary),
      network_(make_network(model)),
      on_gpu_(model.place.gpu == on_host ? nullptr : std::make_unique<gpu::Steps>(model)) {}

void Decoder::prefill(const Parameters& weights, const PromptRow* prompts, std::int64_t n, KvCache& cache) {
    pass_ = {};
    std::vector<std::int64_t> last;
    for (std::int64_t p = 0; p < n; ++p) {
        const auto length = static_cast<std::int64_t>(prompts[p].ids->size());
        pass_.add(prompts[p].ids->data(), length);
        for (std::int64_t t = 0; t < length; ++t) pass_.slots.push_back(prompts[p].cached->slot(t));
        last.push_back(pass_.tokens() - 1);
    }
    network_->forward_cached(weights, pass_, last, cache);
    std::vector<float> logits(static_cast<std::size_t>(n * vocabulary_));
    network_->logits(logits.data());
    for (std::int64_t p = 0; p < n; ++p) {
        const auto behind = logits.begin() + p * vocabulary_;
        prompts[p].logits->assign(behind, behind + vocabulary_);
    }
}

void Decoder::look_back(const KvCache::Stretch& stretch, std::int64_t& at) {
    for (std::int64_t left = stretch.tokens(); const std::int32_t block : stretch.blocks()) {
        pass_.blocks[at] = block;
        pass_.block_used[at++] = static_cast<std::int32_t>(std::min(block_tokens, left));
        left -= block_tokens;
    }
}

void Decoder::pack(const DecodeRow* rows, std::int64_t n) {
    pass_ = {};
    for (std::int64_t r = 0; r < n; ++r) {
        pass_.ids.push_back(rows[r].token);
        pass_.positions.push_back(rows[r].position);
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
}

void Decoder::step(const Parameters& weights, const DecodeRow* rows, std::int64_t n, KvCache& cache, TokenDraw* to) {
    if (on_gpu_) return on_gpu_->run(weights, rows, n, cache, to);
    pack(rows, n);
    std::vector<std::int64_t> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    network_->forward_cached(weights, pass_, all, cache);
    logits_.resize(static_cast<std::size_t>(n * vocabulary_));
    network_->logits(logits_.data());
    for (std::int64_t r = 0; r < n; ++r)
        to[r] = draw_token(&logits_[r * vocabulary_], vocabulary_, rows[r].rule, *rows[r].uniforms, scratch_);
}

}  // namespace hone::lm
