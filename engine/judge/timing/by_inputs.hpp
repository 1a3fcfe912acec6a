// judge/timing/by_inputs.hpp: the ratio on each kind of timed inputs. Timed calls have several laws (Variant), and a
// program may look which one it has, so that it is quick where less is asked of it (products of positive numbers in few
// bits, a sum that is known beforehand) and plain where more is. An honest program's ratio depends little on values: so
// where kinds clearly differ, the slowest one's counts.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>
#include "base/stats.hpp"
#include "judge/correctness/inputs.hpp"

namespace hone {

// d of one pair (judge/timing/sequential_test.hpp), the kind of its inputs, and the block that it is in.
struct PairOfKind {
    double d;
    Variant kind;
    std::size_t block;
};

struct RatioOfKind {
    Variant kind = Variant::declared;
    double middle = 0, error = 0;  // of d: median and its standard error, as if pairs were independent
    std::size_t pairs = 0;
};

// Kinds of fewer than 16 pairs tell too little, and are left out.
std::vector<RatioOfKind> ratios_of_kinds(const std::vector<PairOfKind>&);

// The slowest kind, where the fastest is surely faster by 5 % or more (sure: 4.3 to 6 standard errors, more where pairs
// are few). All kinds are in all blocks: what differs from block to block is in both sides of the difference.
std::optional<RatioOfKind> clearly_slowest(const std::vector<RatioOfKind>&);

// Student's, over the medians of that kind in each block, so that what drifts from block to block is in it; where there
// are fewer than three blocks, by the kind's own error.
Interval interval_of(const RatioOfKind&, const std::vector<PairOfKind>&, double level);

}  // namespace hone
