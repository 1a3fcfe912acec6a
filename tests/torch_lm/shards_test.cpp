// Which sequences a pass takes together.
#include "torch_lm/learning/shards.hpp"
#include <gtest/gtest.h>
#include <algorithm>
#include <numeric>
#include <random>

namespace hone::lm {
namespace {

struct Sequences {
    explicit Sequences(const std::vector<std::int64_t>& lengths) {
        for (const std::int64_t length : lengths) begin.push_back(begin.back() + length);
        ids.resize(static_cast<std::size_t>(begin.back()), 7);
    }
    std::vector<Shard> shards(std::int64_t most_tokens, int slots) const {
        hone_batch batch{};
        batch.ids = ids.data(), batch.begin = begin.data(), batch.n = static_cast<std::uint32_t>(begin.size() - 1);
        return make_shards(batch, most_tokens, slots, nullptr);
    }
    std::vector<std::int64_t> begin{0};
    std::vector<std::int32_t> ids;
};

TEST(Shards, APassIsFilled) {
    const Sequences equal(std::vector<std::int64_t>(16, 128));
    EXPECT_EQ(equal.shards(16 * 128, 1).size(), 1u);
    EXPECT_EQ(equal.shards(16 * 128 - 1, 1).size(), 2u);
    EXPECT_EQ(equal.shards(16 * 128, 4).size(), 4u);
}

TEST(Shards, ALongSequenceIsAlone) {
    std::vector<std::int64_t> lengths(20, 10);
    lengths[3] = 500;
    const auto shards = Sequences(lengths).shards(100, 1);
    EXPECT_EQ(shards.size(), 7u) << "the others lie together, in as many shards as 690 tokens need";
    for (const Shard& shard : shards) EXPECT_TRUE(shard.packed.tokens() == 500 || shard.packed.tokens() <= 100);
    EXPECT_EQ(Sequences({500}).shards(100, 8).size(), 1u);
}

TEST(Shards, NoneHasTooManyTokensAndEachSequenceHasOne) {
    std::mt19937 random(5);
    for (int round = 0; round < 50; ++round) {
        std::vector<std::int64_t> lengths(1 + random() % 40);
        for (auto& length : lengths) length = 1 + static_cast<std::int64_t>(random() % 200);
        std::vector<std::uint32_t> seen;
        for (const Shard& shard : Sequences(lengths).shards(400, 2)) {
            EXPECT_LE(shard.packed.tokens(), 400);
            seen.insert(seen.end(), shard.sequences.begin(), shard.sequences.end());
        }
        std::sort(seen.begin(), seen.end());
        std::vector<std::uint32_t> all(lengths.size());
        std::iota(all.begin(), all.end(), 0u);
        EXPECT_EQ(seen, all);
    }
}

}  // namespace
}  // namespace hone::lm
