// parts/crash.hpp: the last words of a process that dies of a signal: in which part, and how to go on.
#pragma once
#include <string>

namespace hone {

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT say `hone: signal 11 (Segmentation fault): crashed in policy
// "mutant" (sample)` on standard error before this process dies of them. A part that calls exit or _exit is named
// likewise, and the program's exit code is then never 0.
void tell_crashes();

// While it lives such words end with "; " and these, once there are any. One at a time.
class WayOn {
public:
    WayOn() = default;
    ~WayOn();
    WayOn(const WayOn&) = delete;
    void say(const std::string& words);  // from now on; cut at 1 KiB
};

}  // namespace hone
