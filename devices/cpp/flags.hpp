// Flags of a C++ compiler that hone passes on: those that decide how code is made (-O, -std, -m and some of -f), none
// that reads or writes files, loads code, or turns warnings about.
#pragma once
#include <string>
#include <vector>

namespace hone::cpp {

bool is_allowed(const std::string& word);
// The words of an option "flags", which a user may set for a program of one's own. Throws Refused with the word that is
// not allowed.
std::vector<std::string> allowed_flags(const std::string& text);

}  // namespace hone::cpp
