// judge/clocks.hpp: a clock that candidates can move, and its witness, over the same calls (hone_sample). Honest clocks differ too, by what a
// device does after a kernel's end; but for both sides of a pair alike. So a program is held to what the clocks of the other side differ by.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>
#include "judge/bench_parts.hpp"

namespace hone {

struct Witness { double value = 0, gap = 0, slack = 0; };  // gap: what it says more than the value. value 0: none is needed

class Clocks {
public:
    // Of every call, also of one whose value says nothing. side 0: the candidate, 1: what it is compared with.
    void add(int side, const Witness&);
    // One call's value is not so far from its witness that it must be left out.
    static bool fit(const Witness&);
    bool unwitnessed() const { return sides_[0].gaps.empty(); }
    // The witness is to be believed: the means of the two sides' gaps, over calls that are fit, differ by more than the slack; or one side has
    // more calls that are not than the other, by more than one of eight. (Something that runs on the device after a call has ended makes it
    // unfit, and meets both sides.) Not where the witness
    // was the clock of most of the candidate's calls, as of those longer than a time slice.
    bool doubtful() const;
    // By its own clock this side was faster than it can have been.
    std::optional<Ending> forged(int side) const;

private:
    struct Side {
        std::size_t calls = 0;
        std::vector<double> gaps, fit, slacks;  // of all; of calls that are fit
        std::size_t unfit() const { return gaps.size() - fit.size(); }
        double slack() const;
    };
    Side sides_[2];
};

}  // namespace hone
