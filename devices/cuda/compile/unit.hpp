// A candidate's text and what the compiler said about it, as text.
#pragma once
#include <string>
#include <vector>

namespace hone::cuda {

// CUDA's own headers that the source begins with, in the form in which precompiling them serves most programs. What
// stands before the first other line counts: a macro that was defined earlier would change them.
std::vector<std::string> leading_headers(const std::string& source);

// The lines of a log that speak of the candidate's own file or its kernels; where there are none, the first error in a
// header. Bounded.
std::string own_lines(const std::string& log);

// Bytes that a kernel spills to local memory, as the assembler told; -1: it did not.
long spilled_bytes(const std::string& log, const std::string& kernel);

}  // namespace hone::cuda
