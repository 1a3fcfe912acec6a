#include "run/interrupt.hpp"
#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include "base/error.hpp"

namespace hone {
namespace {

std::atomic<bool> flag{false};
std::atomic<const char*> consequence{""};

void tell(const char* text) { [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text)); }

void on_signal(int) {
    if (flag.exchange(true)) _Exit(static_cast<int>(Blame::interrupted));
    tell("\nhone: interrupted: "), tell(consequence), tell(" (once more ends it at once)\n");
}

}  // namespace

const std::atomic<bool>& interrupt_flag() { return flag; }

void check_interrupt() {
    if (flag) throw Error(Blame::interrupted, "", "interrupted");
}

InterruptGuard::InterruptGuard(const char* what) {
    flag = false;
    consequence = what;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
}

InterruptGuard::~InterruptGuard() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
}

}  // namespace hone
