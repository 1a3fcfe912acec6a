#include "torch_lm/model/kv_cache.hpp"
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include "torch_lm/model/tensors.hpp"

namespace hone::lm {

KvCache::KvCache(const Config& c, Place place)
    : memory_(at::zeros({0, c.layers, 2 * c.kv_width() * block_tokens}, activations_of(place))) {}

std::int32_t KvCache::take() {
    if (free_.empty()) {
        if (const std::int64_t blocks = memory_.size(0); taken_ == blocks) {  // at least doubles
            const std::int64_t more = std::max<std::int64_t>(blocks, 16);
            memory_ = at::cat({memory_, at::zeros({more, memory_.size(1), memory_.size(2)}, memory_.options())});
        }
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
    make_room(tokens_);
}

void KvCache::Stretch::make_room(std::int64_t tokens) {
    while (static_cast<std::int64_t>(blocks_.size()) * block_tokens < tokens) blocks_.push_back(cache_->take());
}

}  // namespace hone::lm
