// parts/descriptor.hpp: what a library says of itself, checked before any of its functions runs; behind Library::open.
#pragma once
#include <string>
#include <vector>
#include "hone/abi.h"
#include "parts/library.hpp"

namespace hone {

bool known_interface(const std::string& name);  // "timer"

// The functions of an interface or extension, by their names with blanks between: those that a part offers, and those
// that it could.
struct Offer {
    std::string id, offered, absent;
};
std::vector<Offer> offers_of(const hone_part&, const std::string& interface_name);  // of a checked part

std::vector<Option> options_of(const hone_part&);

// Throws Error(input) naming file, both versions and the cure.
void check_descriptor(const hone_part&, const PartFile&);

}  // namespace hone
