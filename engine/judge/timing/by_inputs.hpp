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
// and the mean's standard error, as if pairs were independent.
struct RatioOfKind {
    Variant kind = Variant::declared;
    double mean = 0, error = 0;
    std::size_t pairs = 0;
};

struct RatiosByKind {
    std::vector<RatioOfKind> kinds;
    double degrees = 0;  // of freedom; 0: too few pairs for any error
};

// The errors follow from the deviation within kinds, all kinds together: a program that scatters on one kind does not
// widen this kind's error alone, and few pairs of each kind tell something.
RatiosByKind ratios_by_kind(const std::vector<PairOfKind>&);

// How the slowest kind and the fastest differ. none: by less than 5 %, or by what chance explains. clear: chance makes
// so much of one measurement in 100,000. perhaps: neither; more pairs would tell.
enum class KindsDiffer { none, perhaps, clear };
KindsDiffer kinds_differ(const RatiosByKind&);

// ln(speedup) where the ratio may depend on the kind of inputs.
struct ByInputs {
    Interval log_speedup;
    KindsDiffer differ = KindsDiffer::none;
    Variant slowest = Variant::declared;
};

// all: of all pairs. clear: the slowest kind's pairs alone count; their interval is Student's over the means of blocks,
// so that what drifts from block to block is in it (of fewer than three blocks, by the kind's own error). perhaps: the
// interval of all pairs reaches down to theirs.
ByInputs by_inputs(const Interval& all, const std::vector<PairOfKind>&, double level);

}  // namespace hone
