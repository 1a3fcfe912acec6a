// What the process of a Python program takes from C++ (by ctypes): its lock, the bell, and a device's memory.
#include "lock.hpp"
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include "hone/confine.hpp"
#include "hone/landlock.hpp"
#include "system_calls.hpp"

namespace {

using Word = std::atomic<std::uint32_t>;
// at the bell before this process sleeps: half a millisecond, and ten
constexpr int looks = 20000, looks_if_soon = 400000;
constexpr auto look = std::chrono::microseconds(50);
constexpr int looks_for_answer = 100000;  // five seconds: a busy machine's threads wait for a core

void futex(Word* word, int operation, std::uint32_t value) {
    syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

// The judge names defences that are off with a space on each side.
bool is_off(const std::string& defence) {
    const char* list = std::getenv("HONE_WITHOUT");
    return list && std::string(list).find(" " + defence + " ") != std::string::npos;
}

// Powers and Landlock are a thread's own: each must give them up itself. Those that a library has started (torch's
// team, a driver's) do so in the handler of a signal, and have answered by `answers`.
struct Lock {
    hone::confine::Plan plan;
    std::atomic<int> answers = 0, error = 0;
};
Lock* of_every_thread = nullptr;

void enter_lock(int) {
    const int interrupted = errno;
    if (!hone::confine::enter(of_every_thread->plan)) of_every_thread->error = errno;
    ++of_every_thread->answers;
    errno = interrupted;
}

std::set<pid_t> other_threads() {
    std::set<pid_t> found;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
        found.insert(static_cast<pid_t>(std::stol(thread.path().filename())));
    found.erase(static_cast<pid_t>(syscall(SYS_gettid)));
    return found;
}

// 0, or an error's number: a thread that blocks the signal is late (ETIMEDOUT), and the program must not run then.
int confine_thread(Lock& lock, pid_t thread) {
    const int before = lock.answers;
    if (syscall(SYS_tgkill, getpid(), thread, SIGUSR1) != 0) return errno == ESRCH ? 0 : errno;
    for (int looked = 0; lock.answers == before; ++looked) {
        if (syscall(SYS_tgkill, getpid(), thread, 0) != 0) return 0;  // it has ended
        if (looked == looks_for_answer) return ETIMEDOUT;
        std::this_thread::sleep_for(look);
    }
    return lock.error;
}

// This one last: it needs /proc. Who was started meanwhile may have been started by a thread that was still free.
int confine_threads(Lock& lock) {
    of_every_thread = &lock;
    struct sigaction confine = {}, before = {};
    confine.sa_handler = enter_lock;
    confine.sa_flags = SA_RESTART;
    if (sigaction(SIGUSR1, &confine, &before) != 0) return errno;
    std::set<pid_t> confined;
    int error = 0;
    std::size_t known;
    do {
        known = confined.size();
        for (const pid_t thread : other_threads())
            if (!error && confined.insert(thread).second) error = confine_thread(lock, thread);
    } while (!error && confined.size() != known);
    sigaction(SIGUSR1, &before, nullptr);
    return error || hone::confine::enter(lock.plan) ? error : errno;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// Every thread of the process gives up root's powers, other files and calls of the system, for good; but for what a
// test has switched off (HONE_WITHOUT). 0, or the error's number. driver: as system_calls has it; its context needs
// what is given up here, and is there already. paths: ends with null; what lies below may be read, which is all that
// loading a library takes.
int hone_python_lock(const char* const* paths, bool driver) {
    try {
        const hone::Filter calls = hone::python::system_calls(driver);
        Lock lock;
        lock.plan.hidden_memory = true;
        if (!is_off("landlock")) lock.plan.ruleset = hone::landlock::ruleset_if_there();
        for (; lock.plan.ruleset && *paths; ++paths)
            if (!hone::landlock::allow(*lock.plan.ruleset, *paths, hone::landlock::read_only)) return errno;
        const int error = confine_threads(lock);
        if (lock.plan.ruleset) close(*lock.plan.ruleset);
        if (error) return error;
        hone::confine::Plan last;
        last.capabilities = true;                                   // there are none left
        if (!is_off("rlimits")) last.limits = {{RLIMIT_FSIZE, 0}};  // the filter has been written to a file of memory
        if (!is_off("seccomp")) last.filter = &calls;
        last.filter_flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
        return hone::confine::enter(last) ? 0 : errno;
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
