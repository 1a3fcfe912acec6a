// judge/timing/by_inputs.hpp: the ratio on each kind of timed inputs. Timed calls have several laws (Variant), and a
// program may look which one it has, so that it is quick where less is asked of it (products of positive numbers in few
// bits, a sum that is known beforehand) and plain where more is. An honest program's ratio depends little on values: so
// where kinds clearly differ, the slowest one's counts.
#pragma once
#include <cstddef>
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

// d on one kind: its mean, trimmed as blocks are (a median would hide who is quick in fewer than half of the calls),
// and the mean's standard error, as if pairs were independent. degrees: of freedom of that error.
struct RatioOfKind {
    Variant kind = Variant::declared;
    double mean = 0, error = 0, degrees = 0;
    std::size_t pairs = 0;
};

// A kind with one pair has the deviation of the others; no_reading: no kind has two.
std::vector<RatioOfKind> ratios_by_kind(const std::vector<PairOfKind>&);

// How the slowest kind and the fastest differ. clear: by 5 %, and by what chance makes of one measurement in 100,000.
// perhaps: by 5 % and two standard errors; more pairs would tell. (One measurement in five of four
// equal kinds, where noise alone makes differences of 5 %.)
enum class KindsDiffer { none, perhaps, clear };
KindsDiffer kinds_differ(const std::vector<RatioOfKind>&);

// ln(speedup) where the ratio may depend on the kind of inputs.
struct ByInputs {
    Interval log_speedup;
    KindsDiffer differ = KindsDiffer::none;
    Variant slowest = Variant::declared;
};

// all: of all pairs. clear: the slowest kind's pairs alone count; their interval is Student's over the means of blocks,
// so that what drifts from block to block is in it (of fewer than three blocks, by the kind's own error). perhaps: the
// interval of all pairs reaches down to theirs. In any case the interval reaches down to that of the kinds' means taken
// together, and the estimate is theirs where that is clearly less: in blocks, which mix kinds, other pairs are trimmed
// than in a kind, and a program could choose which ones, by sleeping.
ByInputs by_inputs(const Interval& all, const std::vector<PairOfKind>&, double level);

}  // namespace hone
