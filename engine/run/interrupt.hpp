// run/interrupt.hpp: Ctrl-C. The first sets a flag that scripts and long calls look at; the second ends the program at
// once.
#pragma once
#include <atomic>
#include <csignal>

namespace hone {

const std::atomic<bool>& interrupt_flag();
void check_interrupt();  // throws Error(interrupted) once the flag is set

class InterruptGuard {  // handles SIGINT and SIGTERM while it lives; clears the flag
public:
    // what: said of what now happens, "the run is saved, then it ends"
    explicit InterruptGuard(const char* what);
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;

private:
    struct sigaction old_int_, old_term_;
};

}  // namespace hone
