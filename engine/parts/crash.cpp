#include "parts/crash.hpp"
#include <signal.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "parts/in_part.hpp"

namespace hone {
namespace {

char way_on[1024] = "";
[[maybe_unused]] char own_stack[1 << 16];  // a stack that has overflown holds no handler
pid_t watched = 0;                         // the process that has called tell_crashes

// Collected in memory that is there already: a handler may not ask for any.
struct LastWords {
    char text[2048];
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
        write();
    }
    void write_of_exit(const char* place, int status) {
        add("hone: "), add(place), add(" ended the program with status "), add(status);
        write();
    }

private:
    void write() {
        if (way_on[0]) add("; "), add(way_on);
        add("\n");
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, n);
    }
};

[[maybe_unused]] void on_crash(int signal) {
    LastWords().write_of(signal);
    raise(signal);  // SA_RESETHAND: this time it ends the process
}

// Of this process alone: a child that a part has made ends as it likes.
void tell_of_exit(int status) {
    char place[128];
    InPart::tell(place, sizeof place);
    if (getpid() != watched || !place[0]) return;
    LastWords().write_of_exit(place, status & 0xff);
    _Exit(status ? status : 1);
}

}  // namespace

void tell_crashes() {
    watched = getpid();
    on_exit([](int status, void*) { tell_of_exit(status); }, nullptr);
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

}  // namespace hone

#ifndef __SANITIZE_ADDRESS__
// Stands before the C library's for whoever is linked or loaded later: so a part is named that ends the program by it.
extern "C" __attribute__((visibility("default"))) void _exit(int status) {
    hone::tell_of_exit(status);
    _Exit(status);
}
#endif

namespace hone {

void WayOn::say(const std::string& words) { std::snprintf(way_on, sizeof way_on, "%s", words.c_str()); }
WayOn::~WayOn() { way_on[0] = '\0'; }

}  // namespace hone
