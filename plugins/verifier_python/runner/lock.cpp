// What the process of a Python program takes from C++ (by ctypes): its lock, the bell, and a device's memory.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include "hone/confine.hpp"
#include "hone/filter.hpp"
#include "hone/landlock.hpp"

namespace {

using Word = std::atomic<std::uint32_t>;
constexpr int looks = 20000;  // at the bell before this process sleeps: half a millisecond

void futex(Word* word, int operation, std::uint32_t value) {
    syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

hone::Filter filter() {
    hone::FilterBuilder f(SCMP_ACT_ALLOW);
    f.rules(SCMP_ACT_KILL_PROCESS, {"execve",
                                    "execveat",
                                    "fork",
                                    "vfork",
                                    "ptrace",
                                    "process_vm_readv",
                                    "process_vm_writev",
                                    "pidfd_getfd",
                                    "kcmp",
                                    "bpf",
                                    "perf_event_open",
                                    "userfaultfd",
                                    "io_uring_setup",
                                    "keyctl",
                                    "mount",
                                    "umount2",
                                    "setns",
                                    "unshare",
                                    "connect",
                                    "bind",
                                    "personality",
                                    "init_module",
                                    "finit_module",
                                    "kexec_load",
                                    "shmget",
                                    "shmat",
                                    "setpriority",
                                    "sched_setscheduler",
                                    "sched_setparam"});
    // libraries ask, and do without
    f.rules(SCMP_ACT_ERRNO(EPERM),
            {"socket",  "socketpair", "kill",     "tkill",  "tgkill",   "pidfd_open", "pidfd_send_signal", "mkdir",
             "mkdirat", "unlink",     "unlinkat", "rename", "renameat", "renameat2",  "symlink",           "symlinkat",
             "link",    "linkat",     "chmod",    "fchmod", "fchmodat", "truncate"});
    // clone3, whose flags lie in memory, is said not to be there
    f.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3");
    f.rule(SCMP_ACT_KILL_PROCESS, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
    return f.program();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// Landlock and seccomp, for good. paths: ends with null; what lies below may be read, and libraries loaded from there.
// 0, or the error's number.
int hone_python_lock(const char* const* paths) {
    try {
        const hone::Filter calls = filter();
        hone::confine::Plan plan;
        plan.hidden_memory = true;
        plan.ruleset = hone::landlock::ruleset_if_there();
        for (; plan.ruleset && *paths; ++paths)
            if (!hone::landlock::allow(*plan.ruleset, *paths, hone::landlock::read_and_execute)) return errno;
        plan.filter = &calls;
        return hone::confine::enter(plan) ? 0 : errno;
    } catch (const std::exception&) {
        return ENOSYS;
    }
}

int hone_python_end_with_parent() { return hone::confine::end_with_parent() ? 0 : errno; }

// Until the bell shows another number than `last`, which is returned.
std::uint32_t hone_python_await(Word* go, std::uint32_t last) {
    for (int i = 0; i < looks; ++i) {
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
