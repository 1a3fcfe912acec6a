// packed.hpp: what the rows of one pass through the model are: no padding, so what a sequence gets does not depend on
// its neighbours' lengths.
#pragma once
#include <cstdint>
#include <vector>

namespace hone::lm {

constexpr std::int64_t block_tokens = 16;  // of a block of the cache of keys and values

struct Packed {  // sequences end to end; positions restart with each
    std::vector<std::int32_t> ids, positions;
    std::vector<std::int64_t> begin{0};
    void add(const std::int32_t* tokens, std::int64_t n) {
        ids.insert(ids.end(), tokens, tokens + n);
        for (std::int64_t i = 0; i < n; ++i) positions.push_back(static_cast<std::int32_t>(i));
        begin.push_back(begin.back() + n);
    }
    std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }

    // With a cache of keys and values, see kv_cache.hpp: where each row's own go (block * block_tokens + lane), and,
    // where each row is an answer's next token, the blocks it looks back on: `most_blocks` a row, with how many tokens
    // of each are meant (0: none).
    std::vector<std::int64_t> slots;
    std::vector<std::int32_t> blocks, block_used;
    std::int64_t most_blocks = 0;
};

}  // namespace hone::lm
