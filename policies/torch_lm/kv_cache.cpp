#include "kv_cache.hpp"
#include <algorithm>
#include <utility>

namespace hone::lm {

KvCache::KvCache(const Config& c)
    : kv_width_(c.kv_width()),
      q_width_(c.q_width()),
      layer_floats_(2 * kv_width_ * block_tokens),
      block_floats_(c.layers * layer_floats_) {}

float* KvCache::take() {
    if (free_.empty()) {
        memory_.push_back(std::make_unique<float[]>(static_cast<std::size_t>(block_floats_)));
        return memory_.back().get();
    }
    float* block = free_.back();
    free_.pop_back();
    return block;
}

KvCache::Stretch& KvCache::Stretch::operator=(Stretch&& other) noexcept {
    std::swap(cache_, other.cache_);
    std::swap(blocks_, other.blocks_);
    std::swap(tokens_, other.tokens_);
    return *this;
}

void KvCache::Stretch::release() { cache_->free_.insert(cache_->free_.end(), blocks_.begin(), blocks_.end()); }

void KvCache::Stretch::grow(std::int64_t tokens) {
    tokens_ += tokens;
    while (static_cast<std::int64_t>(blocks_.size()) * block_tokens < tokens_) blocks_.push_back(cache_->take());
}

void KvCache::Stretch::put(std::int64_t layer, std::int64_t token, const float* qkv) {
    const std::int64_t width = cache_->kv_width_;
    float *keys = blocks_[token / block_tokens] + layer * cache_->layer_floats_, *values = keys + width * block_tokens;
    const std::int64_t lane = token % block_tokens;
    const float* key = qkv + cache_->q_width_;
    for (std::int64_t c = 0; c < width; ++c) keys[c * block_tokens + lane] = key[c];
    std::copy_n(key + width, width, values + lane * width);
}

void KvCache::Stretch::append_blocks(std::int64_t layer, std::int64_t tokens, std::vector<CachedBlock>& to) const {
    for (std::int64_t b = 0; b * block_tokens < tokens; ++b) {
        const float* keys = blocks_[b] + layer * cache_->layer_floats_;
        to.push_back({keys, keys + cache_->kv_width_ * block_tokens, std::min(block_tokens, tokens - b * block_tokens)});
    }
}

}  // namespace hone::lm
