// merge_table.hpp: the merges of a vocabulary by the pair of ids that they join: asked once for every pair of symbols,
// so it is a flat table with open addressing (a third of the time of std::unordered_map).
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace hone::lm {

struct Merge {
    std::int32_t rank, id;  // lower ranks first; the id of the joined token
};

class MergeTable {
public:
    MergeTable() : MergeTable(0) {}
    explicit MergeTable(std::size_t merges)  // room for that many
        : slots_(std::bit_ceil(2 * merges + 2)), shift_(64 - std::bit_width(slots_.size() - 1)) {}
    void put(std::int32_t left, std::int32_t right, Merge merge) {  // of the same pair: the later counts
        slots_[place(key(left, right))] = {key(left, right), merge};
    }
    const Merge* find(std::int32_t left, std::int32_t right) const {
        const Slot& slot = slots_[place(key(left, right))];
        return slot.merge.id < 0 ? nullptr : &slot.merge;
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        Merge merge{0, -1};  // id -1: free
    };
    static std::uint64_t key(std::int32_t left, std::int32_t right) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
    }
    std::size_t place(std::uint64_t key) const {  // of the key, or where it would stand
        std::size_t at = key * 0x9e3779b97f4a7c15 >> shift_;
        while (slots_[at].merge.id >= 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    std::vector<Slot> slots_;
    int shift_;
};

}  // namespace hone::lm
