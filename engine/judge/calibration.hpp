// judge/calibration.hpp: what a task's readings are worth on this machine: asked once a task, before candidates are timed.
#pragma once
#include <optional>
#include "judge/chance.hpp"
#include "judge/problem.hpp"
#include "judge/rig.hpp"

namespace hone {

Ending too_busy();  // INFRASTRUCTURE

// Times the reference's forms against each other and keeps the fastest whose answer agrees with the truth as the problem's baseline.
void choose_baseline(Rig&, Problem&, Chance&);

// The reference against itself by the way of a measurement: |estimate| plus half width, in ln. What is nearer to 1 cannot be told from nothing.
// nullopt: the machine is too busy, see `ending`.
std::optional<double> measure_noise(Rig&, Problem&, Chance&, std::optional<Ending>& ending);

// Throws Error(input) where the reference takes less than two calls without work (a ratio would compare hand-overs), or less than twice what
// the two clocks of a call may differ by (of it a program can take as much unseen). Returns what a call without work costs, in the timer's unit;
// nothing where none was measured, or where the machine is too busy to tell, see `ending`.
std::optional<double> check_long_enough(Rig&, Problem&, Chance&, std::optional<Ending>& ending);

}  // namespace hone
