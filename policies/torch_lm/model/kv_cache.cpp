#include "torch_lm/model/kv_cache.hpp"

namespace hone::lm {

KvCache::KvCache(const Config& c, int gpu)
    : layers_(c.layers), block_floats_(c.layers * 2 * c.kv_width() * block_tokens), memory_(0, gpu) {}

std::int32_t KvCache::take() {
    if (free_.empty()) {
        memory_.reserve(static_cast<std::size_t>((taken_ + 1) * block_floats_));
        return taken_++;
    }
    const std::int32_t block = free_.back();
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

}  // namespace hone::lm
