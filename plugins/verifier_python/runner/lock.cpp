// What the process of a Python program takes from C++ (by ctypes): its lock, the bell, and a device's memory.
#include "lock.hpp"
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include "hone/confine.hpp"
#include "hone/landlock.hpp"
#include "system_calls.hpp"

namespace {

using Word = std::atomic<std::uint32_t>;
// at the bell before this process sleeps: half a millisecond, and ten
constexpr int looks = 20000, looks_if_soon = 400000;

void futex(Word* word, int operation, std::uint32_t value) {
    syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

// The judge names defences that are off with a space on each side.
bool is_off(const std::string& defence) {
    const char* list = std::getenv("HONE_WITHOUT");
    return list && std::string(list).find(" " + defence + " ") != std::string::npos;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// The process gives up root's powers and other files, and then calls of the system, for good; but for a test that has
// switched one off (HONE_WITHOUT). Both give 0, or the error's number. driver: as system_calls has it.
//
// Powers and Landlock are of a thread and of those that it starts later: one that was there before would stay free,
// and a program can have its code run by any. So no team may run yet (EBUSY); a driver's threads do, since its context
// needs what is given up here. paths: ends with null; what lies below may be read, which is all that loading a library
// takes.
int hone_python_lock_files(const char* const* paths, bool driver) {
    try {
        const auto threads = std::filesystem::directory_iterator("/proc/self/task");
        if (!driver && std::distance(begin(threads), end(threads)) != 1) return EBUSY;
        hone::confine::Plan plan;
        plan.hidden_memory = true;
        if (!is_off("landlock")) plan.ruleset = hone::landlock::ruleset_if_there();
        for (; plan.ruleset && *paths; ++paths)
            if (!hone::landlock::allow(*plan.ruleset, *paths, hone::landlock::read_only)) return errno;
        return hone::confine::enter(plan) ? 0 : errno;
    } catch (const std::exception&) {
        return ENOSYS;
    }
}

// Of every thread; with a driver of this one and of those that it starts later, as its own have calls of their own.
int hone_python_lock_calls(bool driver) {
    try {
        const hone::Filter calls = hone::python::system_calls(driver);
        hone::confine::Plan plan;
        plan.capabilities = true;  // what is left of them
        if (!is_off("seccomp")) plan.filter = &calls;
        if (!driver) plan.filter_flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
        return hone::confine::enter(plan) ? 0 : errno;
    } catch (const std::exception&) {
        return ENOSYS;
    }
}

int hone_python_end_with_parent() { return hone::confine::end_with_parent() ? 0 : errno; }

std::uint32_t hone_python_await(Word* go, std::uint32_t last, bool soon) {
    for (int i = 0; i < (soon ? looks_if_soon : looks); ++i) {
        if (const std::uint32_t now = go->load(std::memory_order_acquire); now != last) return now;
        __builtin_ia32_pause();
    }
    while (go->load() == last) futex(go, FUTEX_WAIT, last);
    return go->load();
}

void hone_python_answer(Word* word, std::uint32_t number) {
    word->store(number);
    futex(word, FUTEX_WAKE, 1);
}

}  // extern "C"
#pragma GCC visibility pop
