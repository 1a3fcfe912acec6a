#include "torch_lm/learning/shards.hpp"
#include <algorithm>
#include <numeric>

namespace hone::lm {
namespace {

std::int64_t length(const hone_batch& batch, std::uint32_t i) { return batch.begin[i + 1] - batch.begin[i]; }

std::vector<std::vector<std::uint32_t>> distribute(const hone_batch& batch, std::size_t shards) {
    std::vector<std::uint32_t> order(batch.n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return length(batch, a) > length(batch, b); });
    std::vector<std::vector<std::uint32_t>> members(shards);
    std::vector<std::int64_t> tokens(shards, 0);
    for (const std::uint32_t i : order) {
        const auto emptiest = std::min_element(tokens.begin(), tokens.end()) - tokens.begin();
        members[emptiest].push_back(i);
        tokens[emptiest] += length(batch, i);
    }
    for (auto& list : members) std::sort(list.begin(), list.end());
    return members;
}

}  // namespace

std::vector<Shard> make_shards(const hone_batch& batch, std::int64_t most_tokens, int slots,
                               const std::vector<bool>* wanted) {
    const std::int64_t total = batch.begin[batch.n] - batch.begin[0];
    // a balanced shard may exceed the mean by one sequence, hence the margin
    const std::int64_t needed = (total + most_tokens * 3 / 4 - 1) / (most_tokens * 3 / 4);
    const std::int64_t rounded = (std::max<std::int64_t>(needed, 1) + slots - 1) / slots * slots;
    std::vector<Shard> shards;
    for (const auto& members : distribute(batch, static_cast<std::size_t>(std::min<std::int64_t>(rounded, batch.n)))) {
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
