#include "torch_lm/host/operations.hpp"
#include <algorithm>

namespace hone::lm::host {
namespace {

std::int64_t kv_width(const AttentionShape& shape) { return shape.kv_heads * shape.head_width; }

float* keys_of(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer, std::int64_t block) {
    return cache.at + (block * cache.layers + layer) * 2 * block_tokens * kv_width(shape);
}

}  // namespace

void Operations::embed(const float* table, float* x, std::int64_t width) const {
    for (std::int64_t t = 0; t < rows(); ++t) std::copy_n(table + pass_->ids[t] * width, width, x + t * width);
}

void Operations::embed_gradient(const float* dx, float* d_table, std::int64_t width) const {
    for (std::int64_t t = 0; t < rows(); ++t) add_to(d_table + pass_->ids[t] * width, dx + t * width, width);
}

void Operations::rotate(const AttentionShape& shape, float* qkv, const float* table, float sign) const {
    host::rotate(qkv, shape.stride(), shape.heads + shape.kv_heads, shape.head_width, pass_->positions.data(), table,
                 rows(), sign);
}

float* Operations::scratch(std::int64_t floats) {
    scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(floats)));
    return scratch_.data();
}

template <class Body> void Operations::each_sequence(const AttentionShape& shape, const Body& body) {
    for (std::size_t s = 0; s + 1 < pass_->begin.size(); ++s) {
        const std::int64_t at = pass_->begin[s], length = pass_->begin[s + 1] - at;
        body(at, length, scratch(attention_scratch(shape, length)));
    }
}

void Operations::attention(const AttentionShape& shape, const float* qkv, float* out, float* log_sum) {
    each_sequence(shape, [&](std::int64_t at, std::int64_t length, float* scratch) {
        host::attention(shape, qkv + at * shape.stride(), out + at * shape.out_stride(), log_sum + at * shape.heads,
                        scratch, length);
    });
}

void Operations::attention_gradient(const AttentionShape& shape, const float* qkv, const float* out,
                                    const float* log_sum, const float* d_out, float* d_qkv) {
    each_sequence(shape, [&](std::int64_t at, std::int64_t length, float* scratch) {
        host::attention_gradient(shape, qkv + at * shape.stride(), out + at * shape.out_stride(),
                                 log_sum + at * shape.heads, d_out + at * shape.out_stride(),
                                 d_qkv + at * shape.stride(), scratch, length);
    });
}

void Operations::remember(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer,
                          const float* qkv) const {
    for (std::int64_t t = 0; t < rows(); ++t) {
        const std::int64_t lane = pass_->slots[t] % block_tokens, width = kv_width(shape);
        float *keys = keys_of(shape, cache, layer, pass_->slots[t] / block_tokens),
              *values = keys + width * block_tokens;
        const float* key = qkv + t * shape.stride() + shape.out_stride();
        for (std::int64_t c = 0; c < width; ++c) keys[c * block_tokens + lane] = key[c];
        std::copy_n(key + width, width, values + lane * width);
    }
}

void Operations::cached_attention(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer,
                                  const float* qkv, float* out, std::int64_t first, std::int64_t last) const {
    std::vector<CachedBlock> blocks;
    std::vector<float> scratch(static_cast<std::size_t>(pass_->most_blocks * block_tokens));
    for (std::int64_t t = first; t < last; ++t) {
        blocks.clear();
        for (std::int64_t b = t * pass_->most_blocks; b < (t + 1) * pass_->most_blocks && pass_->block_used[b] > 0;
             ++b) {
            const float* keys = keys_of(shape, cache, layer, pass_->blocks[b]);
            blocks.push_back({keys, keys + kv_width(shape) * block_tokens, pass_->block_used[b]});
        }
        host::cached_attention(shape, qkv + t * shape.stride(), blocks.data(), static_cast<std::int64_t>(blocks.size()),
                               out + t * shape.out_stride(), scratch.data());
    }
}

}  // namespace hone::lm::host
