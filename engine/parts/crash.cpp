#include "parts/crash.hpp"
#include <signal.h>
#include <unistd.h>
#include <cstring>
#include "parts/in_part.hpp"

namespace hone {
namespace {

const WayOn* way_on = nullptr;
char own_stack[1 << 16];  // a stack that has overflown holds no handler

}  // namespace

// Collected in memory that is there already: a handler may not ask for any.
struct LastWords {
    char text[1024];
    std::size_t n = 0;

    void add(const char* from) {
        while (*from && n < sizeof text) text[n++] = *from++;
    }
    void add(int number) {
        if (number >= 10) add(number / 10);
        const char digit[] = {static_cast<char>('0' + number % 10), '\0'};
        add(digit);
    }
    void write_of(int signal) {
        char place[128];
        InPart::tell(place, sizeof place);
        const char* const name = sigdescr_np(signal);
        add("hone: signal "), add(signal), add(" ("), add(name ? name : "unknown"), add("): crashed");
        if (place[0]) add(" in "), add(place);
        if (way_on && way_on->applies_()) add("; "), add(way_on->words_.c_str());
        add("\n");
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, n);
    }
};

namespace {

void on_crash(int signal) {
    LastWords().write_of(signal);
    raise(signal);  // SA_RESETHAND: this time it ends the process
}

}  // namespace

void tell_crashes() {
#ifndef __SANITIZE_ADDRESS__  // which tells more of a crash, in its own words
    stack_t stack{};
    stack.ss_sp = own_stack;
    stack.ss_size = sizeof own_stack;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK | SA_NODEFER);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
#endif
}

WayOn::WayOn(std::string words, std::function<bool()> applies)
    : words_(std::move(words)), applies_(std::move(applies)) {
    way_on = this;
}
WayOn::~WayOn() { way_on = nullptr; }

}  // namespace hone
