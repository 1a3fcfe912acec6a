// judge/timing/calibration.hpp: what a task's readings are worth on this machine: asked once a task, before candidates
// are timed.
#pragma once
#include <optional>
#include "base/chance.hpp"
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"

namespace hone {

// INFRASTRUCTURE: too few readings count, since the timer lost them or the machine is too busy (kind "busy").
CandidateFailure unreadable(const BenchContext&);

// Flushes over a call that nobody makes. Throws PartBroken in the timer's name where that changes a tensor: every
// program would be said to have changed it.
void check_flush(BenchContext&, PreparedTask&, Chance&);

// Times the reference's forms against each other and keeps the fastest whose answer agrees with the truth as the
// problem's baseline.
void choose_baseline(BenchContext&, PreparedTask&, Chance&);

// In these two `program` is what is timed where the task's reference does not run on the device; null: the reference.
//
// The baseline against itself by the way of a measurement: |estimate| plus half width, in ln. What is nearer to 1
// cannot be told from nothing. nullopt: the machine is too busy or the program failed, see `failure`.
std::optional<double> measure_noise(BenchContext&, PreparedTask&, Subject* program, Chance&,
                                    std::optional<CandidateFailure>& failure);

// What the undisturbed reading of a reference is worth beside a call without work, which takes `empty` and in its
// shortest reading `shortest`, all in the timer's unit: enough from 2 such calls on. Disturbed: others' work made the
// calls without work long. Near the limit (1.5 to 2, or less where `foreign` programs kept a quarter of a core busy):
// another bench or a quiet minute may read the same reference as long enough.
enum class Length { enough, disturbed, near_limit, too_short };
Length length_of(double reference, double empty, double shortest, double foreign);

// Whether a call without work, which took `passed` seconds by the bench's clock, reads more than twice as much: this
// has not passed, and is in every reading.
bool is_offset(double empty, double passed);

// Throws Error(input) in the timer's name where it tells a doubt, in its unit, that makes nonsense of every reading:
// more than 100 times the reference's. what: "tolerance", "process_spread".
void require_sensible(const BenchContext&, const PreparedTask&, const char* what, double doubt);

// Throws Error(input) where the reference takes less than 1.5 calls without work (a ratio would compare hand-overs), or
// less than twice what the two clocks of a call may differ by (of it a program can take as much unseen), and as
// require_sensible does. Returns what a call without work costs, in the timer's unit; nothing where none was measured,
// or where `failure` is set: the machine is too busy to tell, or the reference takes less than two calls without work,
// which another bench may read otherwise.
std::optional<double> check_long_enough(BenchContext&, PreparedTask&, Subject* program, Chance&,
                                        std::optional<CandidateFailure>& failure);

}  // namespace hone
