// judge/service/candidate_judging.hpp: one candidate from text to judgement: build, verify, time, and the evidence of
// all three.
#pragma once
#include <functional>
#include "domain/judgement.hpp"
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"
#include "judge/service/job.hpp"
#include "judge/service/lease.hpp"

namespace hone {

// Tells whoever watches that a phase begins and how long it may take; seconds 0: as long as it likes (waiting for the
// machine).
using OnPhase = std::function<void(const char* phase, double seconds)>;

// verdict, reason, samples and everything else of domain/judgement.hpp that this job decides. Throws Error(input) where
// task or parts are at fault,
// PartBroken where the bench is of no further use.
// MoreCalls (judge/timing/window.hpp) where the timer needs runs of more calls than there is room for.
Judgement examine(BenchContext&, PreparedTask&, const Job&, Lease&, const OnPhase&);

}  // namespace hone
