// parts/checked.hpp: which timers were asked on this machine whether they count right. A meter that saturates, smooths
// or counts a process that does not work gives numbers like any other: judging cannot tell, `hone plugins --check` can.
#pragma once
#include "parts/library.hpp"

namespace hone {

// What `hone plugins --check` found of this library with these options. A state folder that cannot be written is no
// error.
void note_checked(const Recipe& timer, bool is_right);

// Says once in this process that a timer of somebody else's was not checked, or was not right, in the form of its file
// and with these options.
void tell_unchecked(const Recipe& timer);

}  // namespace hone
