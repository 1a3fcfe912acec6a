// kv_cache.hpp: keys and values of sequences being sampled, in blocks of 16 tokens (the paging of vLLM, arXiv
// 2309.06180). A prompt's blocks are shared by all answers to it.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <utility>
#include <vector>
#include "torch_lm/format/config.hpp"
#include "torch_lm/model/packed.hpp"
#include "torch_lm/model/place.hpp"

namespace hone::lm {

class KvCache {
public:
    KvCache(const Config& config, Place place);
    // [blocks][layers][16 tokens * keys and values of one], in the network's own order. Valid until a stretch grows.
    const at::Tensor& memory() const { return memory_; }
    // A stretch of tokens; owns its blocks. Must not outlive the cache.
    class Stretch {
    public:
        explicit Stretch(KvCache& cache) : cache_(&cache) {}
        Stretch(Stretch&& other) noexcept
            : cache_(other.cache_),
              blocks_(std::exchange(other.blocks_, {})),
              tokens_(std::exchange(other.tokens_, 0)) {}
        Stretch& operator=(Stretch&& other) noexcept;
        ~Stretch() { release(); }
        // Both: one thread at a time over all stretches.
        void grow(std::int64_t tokens);       // this many more
        void make_room(std::int64_t tokens);  // blocks for this many in all, which are not there yet
        std::int64_t tokens() const { return tokens_; }
        const std::vector<std::int32_t>& blocks() const { return blocks_; }
        std::int64_t slot(std::int64_t token) const {
            return blocks_[token / block_tokens] * block_tokens + token % block_tokens;
        }

    private:
        void release();
        KvCache* cache_;
        std::vector<std::int32_t> blocks_;
        std::int64_t tokens_ = 0;
    };

private:
    std::int32_t take();
    at::Tensor memory_;
    std::int32_t taken_ = 0;  // blocks that were ever in use
    std::vector<std::int32_t> free_;
};

}  // namespace hone::lm
