// judge/correctness/compare.hpp: what is wrong with an output, in words. judge/correctness/truth.hpp has the rules.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>
#include "judge/correctness/truth.hpp"

namespace hone {

// property: which demand was not met, in stable words for programs to group by:
//   "unwritten"       elements still hold the pattern from before the call
//   "not finite"      NaN or infinity where the truth is a number
//   "nan mask"        a number, or an infinity, where the truth is NaN
//   "inf mask"        something else where the truth is infinite
//   "wrong elements"  single errors beyond what is allowed
//   "imprecise"       errors that are small everywhere and too large on average
//   "does not vary"   the output does not follow its inputs
// reason: the same for people. Where the inputs are open (the timed shape, as declared): the share of the elements, the
// power of ten of the error, and the first wrong element with what it is and should be. Elsewhere classes alone (all,
// most, some; below 1e-2 or not; all near an end or not), since a program chooses its errors and could tell what it was
// given by them.
struct Mismatch {
    std::string property, reason;
};

// What is wrong with an output in which a comparison found these errors, which are not within the bounds.
// got: its bytes, for where wrong elements lie and what they are; poison: see hone_comparison;
// where: "at the timed shape, inputs as declared"; open: nothing about the inputs is secret.
Mismatch mismatch_of(const FetchedTruth&, const hone_errors&, const std::string& got,
                     std::optional<std::uint32_t> poison, const std::string& where, bool open = false);

}  // namespace hone
