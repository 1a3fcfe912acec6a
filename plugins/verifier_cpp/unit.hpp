// The texts around a candidate: what a prompt shows of the contract, and the translation unit that the compiler gets.
#pragma once
#include <string>
#include "hone/plugin.hpp"

namespace hone::cpp {

// extern "C" void k(const float* a, float* o, long R, long C): the task's inputs, outputs and sizes in their order.
std::string prototype(const Doc& task);

// Header text: `V`, `expf_fast` and nothing of the system, so that a small kernel builds in about 50 ms.
extern const char* const contract;
// Headers that a candidate may include; precompiled behind the contract.
extern const char* const system_headers;

bool includes_headers(const std::string& code);

// Contract, prototype, the candidate as "candidate.cpp", and the thunk `hone_thunk` that the jail calls.
std::string unit(const Doc& task, const std::string& code, const std::string& header);

// Does the compiler or the linker say that `k` is missing or has other parameters?
bool about_prototype(const std::string& log);

// The compiler's words about the candidate's own lines, at most 4 KiB.
std::string own_lines(const std::string& log);

}  // namespace hone::cpp
