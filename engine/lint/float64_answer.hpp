// lint/float64_answer.hpp: a task's definition asked for any inputs, in float64 and in this process's memory: what the
// linter compares a task with.
#pragma once
#include <string>
#include <vector>
#include "judge/call/arena.hpp"
#include "judge/call/bench_parts.hpp"

namespace hone {

using Numbers = std::vector<std::vector<double>>;  // the elements of several tensors

// float64: the reference's program of that form. inputs: bytes in the tensors' own dtypes, one text an input of the
// layout. Floats are widened, whole numbers stay. Throws what a ReferenceProgram throws.
Numbers answer_in_float64(ReferenceProgram& float64, const Layout&, const std::vector<std::string>& inputs);

}  // namespace hone
