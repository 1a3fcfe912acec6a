// Flags of the compiler that a user may add for a program of one's own (option "flags").
#pragma once
#include <string>
#include <vector>

namespace hone::cpp {

// The words of the option's text. Throws Refused with the word that is not allowed: only flags are that decide how code
// is made (-O, -std, -m and some of -f), none that reads or writes files, loads code, or turns warnings about.
std::vector<std::string> allowed_flags(const std::string& text);

}  // namespace hone::cpp
