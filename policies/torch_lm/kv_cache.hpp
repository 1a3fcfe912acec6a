// kv_cache.hpp: keys and values of sequences being sampled, in blocks of 16 tokens (the paging of vLLM, arXiv 2309.06180). A prompt's
// blocks are shared by all answers to it.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>
#include "config.hpp"
#include "kernels.hpp"

namespace hone::lm {

class KvCache {
public:
    explicit KvCache(const Config& config);
    // A stretch of tokens; owns its blocks. Must not outlive the cache.
    class Stretch {
    public:
        explicit Stretch(KvCache& cache) : cache_(&cache) {}
        Stretch(Stretch&& other) noexcept
            : cache_(other.cache_), blocks_(std::exchange(other.blocks_, {})), tokens_(std::exchange(other.tokens_, 0)) {}
        Stretch& operator=(Stretch&& other) noexcept;
        ~Stretch() { release(); }
        void grow(std::int64_t tokens);  // room for this many more; one thread at a time over all stretches
        std::int64_t tokens() const { return tokens_; }
        // qkv: a row of a layer, whose key and value become those of `token`
        void put(std::int64_t layer, std::int64_t token, const float* qkv);
        void append_blocks(std::int64_t layer, std::int64_t tokens, std::vector<CachedBlock>& to) const;  // its first `tokens`

    private:
        void release();
        KvCache* cache_;
        std::vector<float*> blocks_;
        std::int64_t tokens_ = 0;
    };

private:
    float* take();
    std::int64_t kv_width_, q_width_, layer_floats_, block_floats_;
    std::vector<std::unique_ptr<float[]>> memory_;
    std::vector<float*> free_;
};

}  // namespace hone::lm
