// judge/timing.hpp: how fast is a candidate? Pairs of candidate and baseline in random order, at the same addresses, on the same inputs,
// which the candidate has never seen; the calls that are timed are the calls that are checked.
//
// Hand-over: where a verifier runs candidates in another process, a candidate's window holds one hand-over there and back. Its brief then
// names a program that does nothing ("empty"); the reference's window contains one call of it, in a confined process of its own, so that both sides
// pay the same. (Subtracting a measured constant instead would make the noise of small kernels the candidate's gain.)
#pragma once
#include <optional>
#include <vector>
#include "base/random.hpp"
#include "judge/measure.hpp"
#include "judge/problem.hpp"
#include "judge/rig.hpp"

namespace hone {

struct Measurement {
    std::vector<double> candidate, baseline;  // in the timer's unit, one a pair
    std::vector<double> inside;               // seconds of the candidate's call by its own process, which it may have forged; NaN: not told
    std::vector<int> order;                   // 0: the candidate went first
    Interval log_speedup{0, 0, 0};            // ln(t_baseline / t_candidate)
    std::size_t discarded = 0;                // pairs left out: by the timer, or because the baseline was disturbed
};

// against null: the baseline is the reference. nullopt of the result: the candidate failed, see `ending`. A failure of `against` is
// INFRASTRUCTURE.
std::optional<Measurement> measure(Rig&, Problem&, Subject&, Subject* against, Random&, std::optional<Ending>& ending);

// The reference against itself by the same way: |estimate| plus half width, in ln. What is nearer to 1 cannot be told from nothing. nullopt: the
// machine is too busy, see `ending`.
std::optional<double> measure_noise(Rig&, Problem&, Random&, std::optional<Ending>& ending);

}  // namespace hone
