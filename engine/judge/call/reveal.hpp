// judge/call/reveal.hpp: the call in which a program failed, for the person who wrote the program (judge option
// reveal). It tells what is secret otherwise, so the judgement is no score.
#pragma once
#include <string>
#include <vector>
#include "judge/call/arena.hpp"
#include "judge/call/input_set.hpp"

namespace hone {

struct Revealing {
    std::string folder;              // for the tensors, made when it is needed
    std::vector<std::string> sizes;  // names of the task's, in the order of hone_call.sizes
};

// Writes the call's inputs, its outputs as the program left them, and the truth, a .npy file each. The result has what
// a failure tells besides: sizes, folder (absent where it cannot be written), and of the output `tensor`, unless
// that is "", the first ten wrong elements; where none is wrong by itself, the ten that are furthest off.
Json reveal(const Revealing&, Memory&, const Layout&, const InputSet&, const std::string& tensor);

// A tensor in NumPy's format, version 1.0. bf16, which that lacks, becomes float32.
std::string npy(const TensorSpec&, const std::string& bytes);

}  // namespace hone
