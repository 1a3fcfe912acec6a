// judge/timing/clocks.hpp: a clock that candidates can move, and its independent clock, over the same calls
// (hone_sample). Honest clocks differ too, by what a device does after a kernel's end; but for both sides of a pair
// alike. So a program is held to what the clocks of the other side differ by.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>
#include "judge/call/bench_parts.hpp"

namespace hone {

// gap: what it says more than the value. value 0: none is needed; negative, NaN: it failed
struct IndependentClock {
    double value = 0, gap = 0, tolerance = 0;
};

// Whether it is what Clocks::forged says.
bool clock_was_moved(const CandidateFailure&);

class Clocks {
public:
    // Of every call, also of one whose value says nothing. side 0: the candidate, 1: what it is compared with.
    void add(int side, const IndependentClock&);
    static bool says_nothing(const IndependentClock& independent) { return !(independent.value >= 0); }
    // One call's value is not so far from its independent clock that it must be left out.
    static bool fit(const IndependentClock&);
    bool without_independent() const { return sides_[0].gaps.empty(); }
    // The independent clock is to be believed: the means of the two sides' gaps, over calls that are fit, differ by
    // more than the tolerance of the side that flatters itself; or the candidate has more calls that are not fit than
    // the other side lets expect, by one of eight. (What runs on a device behind a call makes a clock mismatch, on
    // either side.) Where the independent clock was the clock of all of its calls nothing is left to doubt.
    bool doubtful() const;
    // By how much the independent clock shows more (negative: less) in the other side's calls, where that is too much
    // for them to be fit and about the same in half of them: a timer's own, whatever the machine does.
    std::optional<double> steady_offset() const { return sides_[1].steady_offset(); }
    // By its own clock this side was faster than it can have been, in most of its calls. What the other side's calls
    // show steadily, a timer's offset or its gain, is none of this side's. unit: the timer's
    std::optional<CandidateFailure> forged(int side, const std::string& unit) const;

private:
    struct Side {
        std::size_t calls = 0;
        // of all: the gap, its share of the independent clock's value, that value; of calls that are fit; of all
        std::vector<double> gaps, shares, values, fit, tolerances;
        std::size_t mismatches() const { return gaps.size() - fit.size(); }
        double mismatch_share() const {
            return gaps.empty() ? 0 : static_cast<double>(mismatches()) / static_cast<double>(gaps.size());
        }
        double tolerance() const;
        std::optional<double> steady_offset() const;
    };
    Side sides_[2];
};

}  // namespace hone
