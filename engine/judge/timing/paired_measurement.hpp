// judge/timing/paired_measurement.hpp: how fast is a candidate? Pairs of candidate and baseline, at the
// same addresses, on the same inputs, which the candidate has never seen; the calls that are timed are the calls that
// are checked (judge/timing/pairing.hpp).
//
// Hand-over: where a verifier runs candidates in another process, a candidate's window holds one hand-over there and
// back. Its brief then names a program that does nothing ("empty"); the reference's window contains one call of it, in
// a confined process of its own, so that both sides pay the same. (Subtracting a measured constant instead would make
// the noise of small kernels the candidate's gain.)
#pragma once
#include <functional>
#include <optional>
#include <vector>
#include "base/chance.hpp"
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"
#include "judge/correctness/inputs.hpp"
#include "judge/timing/by_inputs.hpp"
#include "judge/timing/machine_load.hpp"
#include "judge/timing/sequential_test.hpp"

namespace hone {

// The two sides, each loaded and verified. A program's time depends a little on where its process happens to lie in
// memory (0.7 % for one of twelve kernels that were tried), so a long measurement starts fresh ones. Where sides are
// timed apart (BenchContext), one is open at a time: a stock of the baseline's readings is taken before each process of
// the candidate, and each of its calls is paired with one of them.
struct Comparison {
    using Opener = std::function<std::unique_ptr<Subject>(std::optional<CandidateFailure>&)>;
    bool programs = false;  // both are; else the baseline is the reference, and `against` null
    std::unique_ptr<Subject> candidate, against;
    Opener open_candidate, open_against;  // fresh processes
};

struct Measurement {
    std::vector<double> candidate, baseline;  // in the timer's unit, one a pair
    std::vector<bool> counted;                // see undisturbed_pairs
    // Seconds of the calls by the processes that made them, which these may have forged; NaN: not told.
    // baseline_inside: of `against` alone.
    std::vector<double> inside, baseline_inside;
    // the candidate's calls by a clock out of its reach, where the timer's is not; else empty
    std::vector<double> independent;
    // seconds before the candidate's calls, by its own process; 0: it does not prepack
    std::vector<double> prepacking;
    std::vector<double> recorded;       // seconds of the candidate's calls by a profiler beside it; NaN: none
    bool independent_believed = false;  // the two disagreed: candidate and baseline are what the independent clock says
    std::vector<int> order;             // 0: the candidate went first
    Interval log_speedup{0, 0, 0};      // ln(t_baseline / t_candidate)
    std::size_t discarded = 0;          // pairs left out: by the timer, or because one side was disturbed
    int processes = 0;                  // of the candidate, in which a pair was read
    // Where it may depend on the kind of inputs (judge/timing/by_inputs.hpp), the slowest: its pairs alone count, or
    // the interval reaches down to theirs.
    KindsDiffer kinds_differ = KindsDiffer::none;
    Variant slowest_inputs = Variant::declared;
    std::optional<MachineLoad> load;  // of the machine meanwhile; absent: not told
};

std::vector<double> select(const std::vector<double>& values, const std::vector<bool>& counted);  // those that count
// Of the pairs that count.
double typical_candidate(const Measurement&);
double typical_baseline(const Measurement&);
double typical_independent(const Measurement&);  // 0: there is none
double typical_recorded(const Measurement&);
double typical_prepacking(const Measurement&);

// The baseline's median call takes more than twice its quickest, and 30 us more. A team of threads on a busy machine is
// slow in nearly all of its calls, so that none looks disturbed beside the others; a candidate of one thread beside it
// would gain by that. Of 99 honest programs on two quiet cores the median took 1.26 times the quickest, 1.72 at most.
bool is_slowed_down(const Measurement&);

// Closes both programs, opens them again in fresh processes and lets each run once, checked. Both are closed before
// either is opened: their memory may be most of the machine's. Which one is opened first is drawn, so that what this
// does to a program is not always the same side's. *opening grows by the seconds until the candidate was open.
std::optional<CandidateFailure> start_afresh(BenchContext&, PreparedTask&, Comparison&, Chance&,
                                             double* opening = nullptr);

// nullopt of the result: the candidate failed, see `failure`. A failure of `against` is INFRASTRUCTURE. A clock that
// seems to have been moved is asked again, in fresh processes: what others do on the device may lie between two honest
// clocks for the length of a measurement, and whoever moves a clock moves it again.
std::optional<Measurement> measure(BenchContext&, PreparedTask&, Comparison&, Chance&,
                                   std::optional<CandidateFailure>& failure);

}  // namespace hone
