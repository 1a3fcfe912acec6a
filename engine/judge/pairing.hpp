// judge/pairing.hpp: one timed call of one side, which is also a checked call. The outputs are sampled at the moment the candidate says that it
// is finished, at places drawn then; the candidate is frozen, they are sampled again, and compared whole.
#pragma once
#include <cstdint>
#include <optional>
#include "judge/chance.hpp"
#include "judge/clocks.hpp"
#include "judge/problem.hpp"
#include "judge/rig.hpp"

namespace hone {

struct Turn {
    Subject* subject;    // null: the reference
    bool whole;          // compare every output completely, also with `whole-check` off
    double planted = 0;  // share of its own time by which the call is prolonged
};

class Pairing {
public:
    Pairing(Rig&, Problem&, Chance&);

    // Reading of one call on a set of inputs placed at an offset, in the timer's unit. Nothing: the call failed (ending), or the timer discarded
    // it.
    std::optional<double> time(const Turn&, const InputSet&, std::uint64_t offset, std::optional<Ending>& ending);
    // One call that is checked whole and not timed: a fresh process has its pages and its team ready after it.
    std::optional<Ending> warm(Subject&, const InputSet&, std::uint64_t offset);
    // What some calls without work by the candidate's way take, in the timer's unit. Nothing where the verifier names no empty program.
    std::vector<double> time_empty_calls();
    double prepacking() const { return prepacking_; }  // before the last call of a subject, by its own process; 0: it does not prepack
    double inside() const { return inside_; }    // of the last call of a subject, by its own process; NaN: not told
    Witness witness() const { return witness_; }  // of the last call
    double stopping() const { return stopping_; }  // seconds, so far, until subjects stood still: as long as they like

private:
    void warm_reference();
    void hold_empty();
    std::optional<Ending> look(Subject&, bool hold, const InputSet&, bool whole);
    bool must_look_whole(const InputSet&, const Positions&, const Samples&);
    void stop(Subject&, bool hold);

    Rig& rig_;
    Problem& problem_;
    Layout& layout_;
    Chance& random_;
    double limit_, inside_, prepacking_ = 0, stopping_ = 0;
    Witness witness_;
};

}  // namespace hone
