// judge/service/health.hpp: is the apparatus whole, after a candidate ended badly? A device may answer errors for a day
// once it was poisoned, and a machine may be left without memory or processes: the next candidate's verdict must not
// tell of that.
#pragma once
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"

namespace hone {

// Whether a candidate that ended so may have left something behind.
bool needs_health_check(Verdict);

// Known bytes, few and some MiB, there and back, and copied. Throws Error(environment) where others come back: every
// candidate would be blamed for them. A few milliseconds.
void probe_memory(Verifier&);

// Starts a fresh process of the program that does nothing and makes one call: it must answer in time and leave inputs,
// outputs and red zones as they were. About 15 ms on a CPU. Throws PartBroken: the bench is of no further use. Where
// the verifier names no such program nothing is done.
void probe_health(BenchContext&, PreparedTask&);

}  // namespace hone
