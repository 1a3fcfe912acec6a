// The texts around a candidate: what a prompt shows of the contract, and the translation unit that the compiler gets.
#pragma once
#include <string>
#include "hone/plugin.hpp"

namespace hone::cpp {

// extern "C" void k(const float* a, float* o, long R, long C): see hone/arguments.hpp.
std::string prototype(const Doc& task);

// What stands around a candidate. The usual first; then what its log asks for, if it asks for something that an honest
// program may want.
struct Surroundings {
    // the contract's V and expf_fast; false: the candidate has its own of that name
    bool vector = true, exponential = true;
    bool noexcept_prototype = false;  // the candidate's k throws nothing
    // none but those that the candidate includes: it may have names of its own that others declare
    bool own_headers = false;
    bool ignore_pragmas = false;  // all that the compiler does not know are hints for other compilers
    friend bool operator==(const Surroundings&, const Surroundings&) = default;
};
Surroundings asked_for_by(const std::string& log);  // own_headers: perhaps, as the program's own mistakes look alike

// Headers that a candidate may include; precompiled.
extern const char* const system_headers;

bool wants_system_headers(const std::string& code, const Surroundings&);

// Headers if wanted, the contract (`V`, `expf_fast` and nothing of the system, so that a small kernel builds in about
// 50 ms), prototype, the candidate as "candidate.cpp", and the thunk `hone_thunk` that the jail calls.
std::string unit(const Doc& task, const std::string& code, const Surroundings&);

// Does the compiler or the linker say that `k` is missing or has other parameters?
bool about_prototype(const std::string& log);

// The compiler's words about the candidate's own lines, at most 4 KiB. Hints for other compilers are passed over.
std::string own_lines(const std::string& log);

}  // namespace hone::cpp
