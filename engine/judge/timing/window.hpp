// judge/timing/window.hpp: whether a run is long enough for its timer: it lasts the timer's least window and reads ten
// steps of its resolution (hone_timer.facts). Where one call is not, and the timer tells a window, a run has several.
#pragma once
#include <cstddef>
#include <optional>
#include "base/chance.hpp"
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"

namespace hone {

struct MoreCalls {  // thrown: runs of so many are needed, and the arena has no room for them yet
    std::size_t calls;
};

// Of a reading of one call: the timer's resolution, shared by the calls of a run; in its unit.
double step_of(const BenchContext&, const PreparedTask&);

// Looks at a few runs of either side. Throws MoreCalls, and Error(input) in the timer's name where it is too coarse for
// the task. A failure: of the candidate in such a run, or INFRASTRUCTURE where the timer is too coarse for it alone.
// baseline null: the reference.
std::optional<CandidateFailure> fit_window(BenchContext&, PreparedTask&, Subject* baseline, Subject& candidate,
                                           Chance&);

}  // namespace hone
