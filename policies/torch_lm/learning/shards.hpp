// shards.hpp: a batch cut into pieces of bounded size for the workers.
#pragma once
#include <cstdint>
#include <vector>
#include "hone/abi.h"
#include "torch_lm/model/packed.hpp"

namespace hone::lm {

struct Shard {
    struct Row {                // a token whose probability is asked for
        std::int64_t before;    // index in packed of the token before it, whose output predicts it
        std::int64_t in_batch;  // its index in the batch
        std::int32_t target;
    };
    Packed packed;
    std::vector<Row> rows;
    std::vector<std::uint32_t> sequences;  // indices in the batch, as they lie in packed
};

// Whole sequences, the longest first to the emptiest shard; at most max(most_tokens, longest sequence) tokens each; a
// multiple of `slots` shards as far as there are sequences. wanted (may be null): rows only where it is true, by index
// in the batch.
std::vector<Shard> make_shards(const hone_batch& batch, std::int64_t most_tokens, int slots,
                               const std::vector<bool>* wanted);

}  // namespace hone::lm
