// judge/definition.hpp: a task's definition asked for any inputs, in float64 and in the host's memory: where truth is made, and what the
// linter compares a task with.
#pragma once
#include <string>
#include <vector>
#include "judge/arena.hpp"
#include "judge/bench_parts.hpp"

namespace hone {

using Numbers = std::vector<std::vector<double>>;  // the elements of several tensors

// float64: the reference's program of that form. inputs: bytes in the tensors' own dtypes, one text an input of the layout. Floats are
// widened, whole numbers stay. Throws what a Program throws.
Numbers answer_in_float64(Program& float64, const Layout&, const std::vector<std::string>& inputs);

}  // namespace hone
