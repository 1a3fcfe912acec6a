// What the process of a Python program takes from C++ (by ctypes): its lock, the bell, and a device's memory.
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include "hone/confine.hpp"
#include "hone/filter.hpp"
#include "hone/landlock.hpp"

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

hone::Filter filter() {
    hone::FilterBuilder f(SCMP_ACT_ALLOW);
    f.rules(SCMP_ACT_KILL_PROCESS, {"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "bpf",
                                    "perf_event_open", "userfaultfd", "io_uring_setup", "keyctl", "mount", "umount2",
                                    "setns", "unshare", "personality", "init_module", "finit_module", "kexec_load"});
    // libraries ask, and do without or say what they lack
    f.rules(SCMP_ACT_ERRNO(EPERM), {"execve",
                                    "execveat",
                                    "fork",
                                    "vfork",
                                    "socket",
                                    "socketpair",
                                    "connect",
                                    "bind",
                                    "kill",
                                    "tkill",
                                    "tgkill",
                                    "pidfd_open",
                                    "pidfd_send_signal",
                                    "mkdir",
                                    "mkdirat",
                                    "unlink",
                                    "unlinkat",
                                    "rename",
                                    "renameat",
                                    "renameat2",
                                    "symlink",
                                    "symlinkat",
                                    "link",
                                    "linkat",
                                    "chmod",
                                    "fchmod",
                                    "fchmodat",
                                    "truncate",
                                    "shmget",
                                    "shmat",
                                    "setpriority",
                                    "sched_setscheduler",
                                    "sched_setparam"});
    // of whichever process: OpenMP asks for its threads' cores, and the bench's cores are nobody's to move
    f.rule(SCMP_ACT_ERRNO(0), "sched_setaffinity");
    f.rules(SCMP_ACT_ERRNO(EPERM), {"sched_setattr", "ioprio_set"});
    f.rule(SCMP_ACT_ERRNO(EPERM), "prlimit64", {SCMP_A0(SCMP_CMP_NE, 0)});
    f.rule(SCMP_ACT_ERRNO(ENOSYS), "openat2");
    // signals that resume a process which the bench has stopped, and ways out of its reach
    f.rules(SCMP_ACT_ERRNO(EPERM),
            {"timer_create", "mq_notify", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "setsid", "setpgid", "memfd_create"});
    for (const int command : {F_SETSIG, F_SETOWN, F_SETOWN_EX, F_NOTIFY, F_SETLEASE})
        f.rule(SCMP_ACT_ERRNO(EPERM), "fcntl", {SCMP_A1(SCMP_CMP_EQ, static_cast<unsigned>(command))});
    f.rule(SCMP_ACT_ERRNO(EPERM), "ioctl", {SCMP_A1(SCMP_CMP_EQ, FIOASYNC)});
    f.rule(SCMP_ACT_ERRNO(EPERM), "prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG)});
    // a caller that waits in the kernel, as vfork's does, cannot be stopped
    f.rule(SCMP_ACT_ERRNO(EPERM), "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_VFORK, CLONE_VFORK)});
    // clone3, whose flags lie in memory, is said not to be there
    f.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3");
    f.rule(SCMP_ACT_ERRNO(EPERM), "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
    for (const unsigned bit : {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC})
        f.rule(SCMP_ACT_ERRNO(EACCES), "openat",
               {SCMP_A2(SCMP_CMP_MASKED_EQ, static_cast<unsigned>(bit), static_cast<unsigned>(bit))});
    f.rules(SCMP_ACT_ERRNO(EACCES), {"open", "creat"});
    return f.program();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// Landlock and seccomp, for good; but for a test that has switched one off (HONE_WITHOUT). paths: ends with null; what
// lies below may be read, which is all that loading a library takes. 0, or the error's number.
int hone_python_lock(const char* const* paths) {
    try {
        const hone::Filter calls = filter();
        hone::confine::Plan plan;
        plan.hidden_memory = true;
        if (!is_off("landlock")) plan.ruleset = hone::landlock::ruleset_if_there();
        for (; plan.ruleset && *paths; ++paths)
            if (!hone::landlock::allow(*plan.ruleset, *paths, hone::landlock::read_only)) return errno;
        if (!is_off("seccomp")) plan.filter = &calls;
        return hone::confine::enter(plan) ? 0 : errno;
    } catch (const std::exception&) {
        return ENOSYS;
    }
}

int hone_python_end_with_parent() { return hone::confine::end_with_parent() ? 0 : errno; }

// Until the bell shows another number than `last`, which is returned. soon: it is worth waiting awake for long.
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
