// judge/measure.hpp: from paired samples to a statement. d = ln(t_baseline / t_candidate) of each pair; the estimate is the trimmed mean of
// d (the median hides bimodal times), its interval that of Tukey and McLaughlin (Sankhya A 25, 1963). Looks at 8, 16, 32, ... pairs; each
// spends an equal share of the error, so that peeking does not lower the coverage.
#pragma once
#include <limits>
#include <vector>
#include "base/stats.hpp"

namespace hone {

constexpr double trimmed_share = 0.125;  // at each end: one of eight

// For fewer than three values kept: -inf .. +inf.
Interval trimmed_interval(const std::vector<double>& values, double level);

struct StopRule {
    double precision;  // half width that is enough
    double level;
    int most;          // pairs
};

// Tells disturbed readings of a program that no candidate can touch, the reference, on this machine. A thread that waits for a core while its
// partner spins makes a call of 0.1 ms last 5 ms, and does so for many calls in a row: no trimming removes that.
class Calm {
public:
    // False: the call took more than twice the least time seen: leave it out of every statement. A machine that has become slower for good is
    // believed after `patience` refusals in a row.
    bool accept(double reading);

private:
    static constexpr int patience = 256;
    double fastest_ = std::numeric_limits<double>::infinity();
    int refused_ = 0;
};

class Sequential {
public:
    explicit Sequential(StopRule);
    void add(double d) { values_.push_back(d); }
    // Enough is known: at a look, if the half width is small enough, or if the candidate is surely less than half as fast (how much less
    // matters to nobody); or there are no looks left.
    bool done() const;
    Interval interval() const;  // of ln(speedup); at a level that all looks together keep
    std::size_t pairs() const { return values_.size(); }

private:
    bool is_look() const;
    StopRule rule_;
    double look_level_;
    std::vector<double> values_;
};

}  // namespace hone
