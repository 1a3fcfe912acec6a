// parts/checked.hpp: which timers were asked on this machine whether they count right. A meter that saturates, smooths
// or counts a process that does not work gives numbers like any other: judging cannot tell, `hone plugins --check` can.
#pragma once
#include "parts/library.hpp"

namespace hone {

// `hone plugins --check` found no fault in this library. A state folder that cannot be written is no error.
void note_checked(const PartFile&);

// Says once in this process that a timer of somebody else's was not checked in the form that its file has now.
void tell_unchecked(const Recipe& timer);

}  // namespace hone
