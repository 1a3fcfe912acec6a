// judge/timing/sequential_test.hpp: from paired readings to a statement. d = ln(t_baseline / t_candidate) of each pair.
//
// Pairs come in blocks that follow each other in time (and, where the judge opens a fresh process for each, in place).
// A block's value is the mean of its d, trimmed where it holds 8 or more (the median hides bimodal times); the estimate
// is the mean of the blocks, its interval Student's over blocks (of fewer than three with processes of their own, or
// eight without, over eight groups of pairs). What drifts from block to block, or differs from process to process, is
// thereby in the interval; docs/results/judge-cpu.md tells how often it then holds the truth.
#pragma once
#include <cstddef>
#include <vector>
#include "base/stats.hpp"

namespace hone {

constexpr double trimmed_share = 0.125;  // at each end: one value of eight, where there are eight

struct Pair {
    double candidate, baseline;  // readings of the two sides, in the timer's unit
    // neither is so far from its independent clock that the pair must be left out (judge/timing/clocks.hpp)
    bool fit = true;
    bool candidate_waited = false, baseline_waited = false;  // see has_waited
};

// What an undisturbed call takes: a tenth of the calls were faster. (The least of a thousand calls is one lucky call's;
// measured by it, one of two sides of the same program had up to twice as many disturbed calls as the other.)
// no_reading: of none.
double undisturbed_reading(std::vector<double> readings);

// How many times its undisturbed reading a call took that something disturbed (and 30 us more than it: short calls vary
// by that anyway). A thread that waits for a core while its partner spins makes a call of 0.1 ms last 5 ms, many calls
// in a row; on a device a change of contexts adds 0.14 ms and a context that is made elsewhere 0.4 ms. No trimming
// removes that. (Closer to the undisturbed reading, natural scatter would be cut off.)
constexpr double disturbed_on_host = 2, disturbed_on_device = 1.25;

// Whether a call of so many seconds was disturbed because a thread of it, `waited` seconds of them, had no core. A team
// of threads waits in nearly all of its calls where other programs run: none looks slow beside the others then.
bool has_waited(double seconds, double waited);

// What drifts on a host, or disturbs it, lasts for many pairs, which belong into one block then. A device's calls are a
// change of contexts apart; there blocks of half the length tell as well, and the first interim analysis comes after
// half as many pairs.
constexpr int blocks_on_host = 32, blocks_on_device = 64;

// Which pairs count: those in which neither side was disturbed. Both sides are held to the same rule, because a program
// against itself must come out even. But a candidate may have a hand in its own disturbances: where it has clearly more
// of them than the baseline, or lost clearly more time by them, its slow calls count.
// block: pairs that follow each other and may be disturbed together; undisturbed_baseline: undisturbed reading of the
// baseline in earlier measurements.
std::vector<bool> undisturbed_pairs(const std::vector<Pair>&, std::size_t block, double undisturbed_baseline,
                                    double disturbed = disturbed_on_host);

struct StopRule {
    double precision;  // half width that is enough
    double level;
    int most;            // pairs
    bool fresh = false;  // each block has processes of its own
    double disturbed = disturbed_on_host;
    int blocks = blocks_on_host;  // at most
};
// The same for calls on a device; of a fresh measurement each block costs a process.
constexpr StopRule on_device(StopRule rule) {
    rule.disturbed = disturbed_on_device;
    if (!rule.fresh) rule.blocks = blocks_on_device;
    return rule;
}

class SequentialTest {
public:
    explicit SequentialTest(StopRule, double undisturbed_baseline = no_reading);
    void add(Pair);
    SequentialTest without_pairs() const { return SequentialTest(rule_); }  // by the same rule
    std::size_t in_block() const { return pairs_.size() - begun_.back(); }  // pairs, so far
    std::size_t block() const { return block_; }                            // pairs of one
    bool begins_block() const { return in_block() == 0; }
    void begin_block() { begun_.push_back(pairs_.size()); }  // the one before may have been shorter than the others
    // Enough is known: at an interim analysis (after 8, 16, 32, 64 blocks), if the half width is small enough; there or
    // after 4 blocks (the futility stop), if the candidate is surely less than half as fast (how much less matters to
    // nobody); or there are no pairs left.
    bool done() const;
    Interval interval() const;  // of ln(speedup), at rule.level for all interim analyses together
    std::vector<bool> counted() const;
    std::size_t block_of(std::size_t pair) const;  // its number, from 0
    bool was_disturbed() const;                    // the last pair, on either side
    double undisturbed_baseline() const;           // the least of what earlier measurements and this one say

private:
    std::vector<double> block_values() const;
    // A process of which no call would count is slow itself where the baseline beside it was not: its calls count.
    // Otherwise a program could sleep in the processes in which it is unlucky, and be rid of them.
    void count_slow_processes(std::vector<bool>& counts) const;
    bool is_interim_analysis() const;
    std::size_t full_blocks() const { return begun_.size() - 1; }
    StopRule rule_;
    double quick_baseline_;
    std::size_t block_;  // pairs
    std::vector<Pair> pairs_;
    std::vector<std::size_t> begun_{0};  // the first pair of each block
};

}  // namespace hone
