#include "torch_lm/learning/shards.hpp"
#include <algorithm>
#include <numeric>

namespace hone::lm {
namespace {

std::int64_t length(const hone_batch& batch, std::uint32_t i) { return batch.begin[i + 1] - batch.begin[i]; }

using Members = std::vector<std::vector<std::uint32_t>>;  // sequences by shard

std::int64_t most(const std::vector<std::int64_t>& tokens) { return *std::max_element(tokens.begin(), tokens.end()); }

// The longest first to the emptiest shard. tokens: of each shard, as many shards as it has places.
Members distribute(const hone_batch& batch, std::vector<std::int64_t>& tokens) {
    std::vector<std::uint32_t> order(batch.n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return length(batch, a) > length(batch, b); });
    Members members(tokens.size());
    for (const std::uint32_t i : order) {
        const auto emptiest = std::min_element(tokens.begin(), tokens.end()) - tokens.begin();
        members[emptiest].push_back(i);
        tokens[emptiest] += length(batch, i);
    }
    for (auto& list : members) std::sort(list.begin(), list.end());
    return members;
}

// The fewest shards, a multiple of slots, none with more tokens than the header says; at most one a sequence.
Members distribute(const hone_batch& batch, std::int64_t most_tokens, int slots) {
    const std::int64_t needed = (batch.begin[batch.n] - batch.begin[0] + most_tokens - 1) / most_tokens;
    std::int64_t longest = most_tokens;
    for (std::uint32_t i = 0; i < batch.n; ++i) longest = std::max(longest, length(batch, i));
    for (std::int64_t shards = (std::max<std::int64_t>(needed, 1) + slots - 1) / slots * slots;; shards += slots) {
        std::vector<std::int64_t> tokens(static_cast<std::size_t>(std::min<std::int64_t>(shards, batch.n)));
        Members members = distribute(batch, tokens);
        if (shards >= batch.n || most(tokens) <= longest) return members;
    }
}

}  // namespace

std::vector<Shard> make_shards(const hone_batch& batch, std::int64_t most_tokens, int slots,
                               const std::vector<bool>* wanted) {
    std::vector<Shard> shards;
    for (const auto& members : distribute(batch, most_tokens, slots)) {
        Shard& shard = shards.emplace_back();
        for (const std::uint32_t i : members) {
            const std::int64_t start = shard.packed.tokens(), begin = batch.begin[i];
            shard.packed.add(batch.ids + begin, length(batch, i));
            shard.sequences.push_back(i);
            for (std::int64_t t = 1; t < length(batch, i); ++t)
                if (!wanted || (*wanted)[begin + t])
                    shard.rows.push_back({start + t - 1, begin + t, batch.ids[begin + t]});
        }
    }
    return shards;
}

}  // namespace hone::lm
