// parts/crash.hpp: the last words of a process that dies of a signal: in which part, and how to go on.
#pragma once
#include <functional>
#include <string>

namespace hone {

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT say `hone: signal 11 (Segmentation fault): crashed in policy
// "mutant" (sample)` on standard error before this process dies of them.
void tell_crashes();

// While it lives a crash adds "; " and `words` where `applies` says so, which runs in a signal handler.
class WayOn {
public:
    WayOn(std::string words, std::function<bool()> applies);
    ~WayOn();
    WayOn(const WayOn&) = delete;

private:
    friend struct LastWords;
    const std::string words_;
    const std::function<bool()> applies_;
};

}  // namespace hone
