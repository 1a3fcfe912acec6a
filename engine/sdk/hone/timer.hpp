// hone/timer.hpp: the base class of a timer. Override what you need and write `override` behind each function: a name
// or a signature that is not one of these is then a compile error. A function that is left out is not offered.
//
// All functions run on the bench's one thread. Times are in the unit that HONE_TIMER names ("s", "J", "cycle"); smaller
// is better. Order of pairs, repetitions and statistics are the judge's.
#pragma once
#include "hone/plugin.hpp"

namespace hone {

class TimerPart {
public:
    virtual ~TimerPart() = default;

    // Once, before the first time(). device: the verifier's, with its context and queue; valid as long as the timer.
    virtual void attach(const hone_device& device) { (void)device; }

    // Leaves no cache holding any of the n tensors at `touched` (device addresses). Before every call that is timed.
    virtual void flush(const hone_tensor* touched, uint32_t n) { (void)touched, (void)n; }

    // Launches each call 0 .. run.calls-1 exactly once, waits for them, and says what all of them took together.
    // Throw Failed to lose this reading, Broken where the clock is of no further use.
    virtual hone_sample time(const hone_run& run) = 0;

    // For the record, and for the judge: "resolution" in the unit, "least_window" in seconds and others; see
    // hone_timer.facts in timer.h.
    virtual void facts(Out out) { (void)out; }
};

}  // namespace hone
