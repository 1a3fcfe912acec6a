// judge/timing/pairing.hpp: one timed call of one side, which is also a checked call. The outputs are sampled at the
// moment the candidate says that it is finished, at places drawn then; the candidate is frozen, they are sampled again,
// and compared whole.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include "base/chance.hpp"
#include "base/core_waits.hpp"
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"
#include "judge/timing/clocks.hpp"

namespace hone {

class TimedRun;

struct TimedSide {
    Subject* subject;      // null: the reference
    bool whole;            // compare every output completely, also with `whole-check` off
    double planted = 0;    // share of its own time by which the call is prolonged
    bool watched = false;  // see Pairing::waited
};

class Pairing {
public:
    Pairing(BenchContext&, PreparedTask&, Chance&);

    // Reading of one call in the timer's unit: of a run of as many calls as there are sets of inputs (the task's
    // calls()), placed at an offset, divided by their number. Nothing: a call failed (ending), or the timer discarded
    // or lost the reading.
    std::optional<double> time(const TimedSide&, const std::vector<const InputSet*>&, std::uint64_t offset,
                               std::optional<CandidateFailure>& failure);
    // Lets the timer take its zeros anew, of the reference's form and of candidates. Before candidates are timed, while
    // none is open, where these are timed apart (BenchContext).
    void take_zeros();
    // One call that is checked whole and not timed: a fresh process has its pages and its team ready after it.
    std::optional<CandidateFailure> warm(Subject&, const InputSet&, std::uint64_t offset);
    // What some calls without work by the candidate's way take, in the timer's unit; with_inputs: with what the calls
    // of a run have between them, too. Nothing where the verifier names no empty program.
    std::vector<double> time_empty_calls(bool with_inputs);
    double empty_seconds() const { return empty_seconds_; }  // of these, undisturbed, by the bench's clock
    // before the last call of a subject, by its own process; 0: it does not prepack
    double prepacking() const { return prepacking_; }
    double inside() const { return inside_; }        // of the last call of a subject, by its own process; NaN: not told
    double run_value() const { return run_value_; }  // of the last run, all calls together; 0: none was read
    double run_seconds() const { return run_seconds_; }  // that it took, by the bench's clock
    // Seconds of the last run in which the thread that waited longest was ready and had no core: of a watched side's
    // process and, beside the reference, of the empty program's. (A team that spins behind its work leaves it none.)
    double waited() const { return waited_; }
    IndependentClock independent() const { return independent_; }  // of the last call
    double stopping() const { return stopping_; }  // seconds, so far, until subjects stood still: as long as they like

private:
    using Sets = std::vector<const InputSet*>;
    std::optional<hone_sample> read(TimedRun&, Subject* held);
    std::optional<CandidateFailure> place(Subject*, const Sets&, bool late, std::uint64_t offset, double& limit);
    std::unique_ptr<TimedRun> run_of(Subject*, const Sets&, double limit, double planted, bool late);
    bool gives_late(const Sets&) const;
    void answer_null_calls(TimedRun&);
    void take_zero(bool of_candidates);
    void try_zero(bool of_candidates);
    std::vector<Positions> draw_positions(std::size_t calls);
    void warm_reference(const hone_call&);
    void hold_empty();
    std::vector<Samples> sample(const std::vector<Positions>&);
    void put_late(TimedRun&, const Sets&);
    std::optional<CandidateFailure> look(Subject&, bool hold, const Sets&, bool whole);
    std::optional<CandidateFailure> look_at_earlier(const Sets&) const;
    bool must_look_whole(const InputSet&, const Positions&, const Samples&);
    void stop(Subject&, bool hold);

    BenchContext& context_;
    PreparedTask& prepared_;
    Chance& random_;
    double limit_, inside_, prepacking_ = 0, stopping_ = 0, run_value_ = 0, run_seconds_ = 0, empty_seconds_ = 0,
                            waited_ = 0;
    CoreWaits waits_;
    IndependentClock independent_;
    // Of the last run: where each call was looked at before the next one, or at the end, and what stood there.
    std::vector<Positions> positions_;
    std::vector<Samples> seen_, looked_;
    std::set<std::string> zeroed_;  // forms of the reference, where the timer's zeros are taken apart
};

}  // namespace hone
