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

struct RatioOfKind {
    Variant kind = Variant::declared;
    double middle = 0, error = 0;  // of d (judge/timing/sequential_test.hpp): median and its standard error
    std::size_t pairs = 0;
};

// d and kinds: one a pair. Kinds of fewer than 8 pairs tell too little, and are left out.
std::vector<RatioOfKind> ratios_of_kinds(const std::vector<double>& d, const std::vector<Variant>& kinds);

// The slowest kind, where the fastest is surely faster by 5 % or more (sure: 4.3 to 9 standard errors, more where pairs
// are few).
std::optional<RatioOfKind> clearly_slowest(const std::vector<RatioOfKind>&);

// Student's, of the median: as wide as its error tells.
Interval interval_of(const RatioOfKind&, double level);

}  // namespace hone
