// parts/descriptor.hpp: what a library says of itself, checked before any of its functions runs; behind Library::open.
#pragma once
#include <string>
#include "hone/abi.h"
#include "parts/library.hpp"

namespace hone {

bool known_interface(const std::string& name);  // "timer"

// Throws Error(input) naming file, both versions and the cure.
void check_descriptor(const hone_part&, const PartFile&);

}  // namespace hone
