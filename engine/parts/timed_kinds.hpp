// parts/timed_kinds.hpp: the kinds of device that the timers of this machine can time.
#pragma once
#include <set>
#include <string>

namespace hone {

std::set<std::string> timed_kinds();

}  // namespace hone
