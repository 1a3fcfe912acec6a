#include "system_calls.hpp"
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <cerrno>

namespace hone::python {
namespace {

constexpr auto allow = SCMP_ACT_ALLOW, refuse = SCMP_ACT_ERRNO(EPERM), not_there = SCMP_ACT_ERRNO(ENOSYS),
               no_memory = SCMP_ACT_ERRNO(ENOMEM);
constexpr unsigned writes[] = {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC};

// Of what Python, torch and a CUDA driver do, all that changes nothing outside of this process.
void allow_own_work(FilterBuilder& f) {
    f.first("futex");
    f.rules(allow, {"futex", "exit", "exit_group", "set_robust_list", "get_robust_list", "rseq", "set_tid_address",
                    "sched_yield", "restart_syscall", "membarrier", "arch_prctl", "getcpu"});
    f.rules(allow, {"munmap", "mremap", "brk", "mprotect", "mlock", "mlock2", "munlock", "msync", "get_mempolicy"});
    f.rules(allow, {"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait",
                    "rt_sigsuspend", "sigaltstack"});
    f.rules(allow, {"clock_gettime", "clock_getres", "gettimeofday", "time", "times", "nanosleep", "clock_nanosleep",
                    "getrandom", "getrusage"});
    f.rules(allow, {"getpid",
                    "getppid",
                    "gettid",
                    "getuid",
                    "geteuid",
                    "getgid",
                    "getegid",
                    "getresuid",
                    "getresgid",
                    "getgroups",
                    "getpgid",
                    "getpgrp",
                    "getsid",
                    "uname",
                    "sysinfo",
                    "getrlimit",
                    "capget",
                    "getpriority",
                    "sched_getaffinity",
                    "sched_getparam",
                    "sched_getscheduler",
                    "sched_get_priority_max",
                    "sched_get_priority_min"});
    f.rule(allow, "prlimit64", {SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0)});
    // the parent's signal at its end is the bench's to set; who shares a core, and finds its predictors empty, the
    // kernel's
    for (unsigned option = PR_SET_PDEATHSIG + 1; option < PR_SCHED_CORE; ++option)
        if (option != PR_SET_SPECULATION_CTRL && option != PR_SET_DUMPABLE)
            f.rule(allow, "prctl", {SCMP_A0(SCMP_CMP_EQ, option)});
    f.rule(allow, "prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_VMA)});
    f.rule(refuse, "prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SCHED_CORE)});
    // threads alone; a caller that waits in the kernel, as vfork's does, cannot be stopped
    f.rule(allow, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_VFORK, CLONE_THREAD)});
    // not those that take pages away, merge or evict them: some are the bench's
    for (const int advice : {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE,
                             MADV_DONTFORK, MADV_DOFORK, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP,
                             MADV_POPULATE_READ, MADV_POPULATE_WRITE})
        f.rule(allow, "madvise", {SCMP_A2(SCMP_CMP_EQ, static_cast<unsigned>(advice))});
}

// Neither shared memory of no file nor a stack that grows counts as data, which alone is limited. A driver's pinned
// memory is shared. (Memory that is written and then made read-only does not count either: nothing here bounds that.)
void allow_memory(FilterBuilder& f, bool driver) {
    f.rule(no_memory, "mmap", {SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_GROWSDOWN, MAP_GROWSDOWN)});
    if (driver) return f.rule(allow, "mmap", {SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_GROWSDOWN, 0)});
    f.rule(allow, "mmap", {SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS | MAP_GROWSDOWN, 0)});
    f.rule(allow, "mmap", {SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, MAP_ANONYMOUS)});
    f.rule(no_memory, "mmap", {SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS)});
}

// Files to read; Landlock says which. What can be written is open already: the page, the report, a driver's devices.
void allow_reading(FilterBuilder& f) {
    f.rule(allow, "openat",
           {SCMP_A2(SCMP_CMP_MASKED_EQ, static_cast<unsigned>(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC), 0)});
    f.rules(
        allow,
        {"read",        "pread64",    "readv",       "preadv",   "write",     "writev",     "lseek",    "close",
         "close_range", "dup",        "dup2",        "dup3",     "fstat",     "stat",       "lstat",    "newfstatat",
         "statx",       "statfs",     "fstatfs",     "access",   "faccessat", "faccessat2", "readlink", "readlinkat",
         "getdents64",  "getcwd",     "umask",       "poll",     "ppoll",     "select",     "pselect6", "epoll_create1",
         "epoll_ctl",   "epoll_wait", "epoll_pwait", "eventfd2", "pipe",      "pipe2"});
    for (const int command : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL})
        f.rule(allow, "fcntl", {SCMP_A1(SCMP_CMP_EQ, static_cast<unsigned>(command))});
}

// Commands of an NVIDIA driver's files alone: others change a file's attributes, also of one that is open for reading.
// The kernel takes 32 bits of a command.
void allow_commands(FilterBuilder& f, bool driver) {
    constexpr unsigned of_control = 'F' << 8, bits_of_type = 0xff00, most_of_memory = 0xfff;
    const auto command = [&](std::uint64_t mask, std::uint64_t value) {
        f.rule(allow, "ioctl", {SCMP_A1(SCMP_CMP_MASKED_EQ, mask, value)});
    };
    if (!driver) return f.rule(SCMP_ACT_ERRNO(ENOTTY), "ioctl");
    command(bits_of_type, of_control);         // nvidiactl, nvidia0, ...
    command(0xffffffff & ~most_of_memory, 0);  // nvidia-uvm numbers its own from 1 on,
    for (const unsigned number : {0x30000001u, 0x30000002u}) command(0xffffffff, number);  // but for its first and last
    for (const unsigned python : {TCGETS, FIOCLEX, FIONCLEX})
        f.rule(SCMP_ACT_ERRNO(ENOTTY), "ioctl", {SCMP_A1(SCMP_CMP_EQ, python)});
}

// Libraries ask, and do without or say what they lack.
void refuse_with_a_word(FilterBuilder& f) {
    // which pages of a file are in memory tells what others have read of it
    f.rule(refuse, "mincore", {});
    f.rules(refuse, {"execve",
                     "execveat",
                     "fork",
                     "vfork",
                     "wait4",
                     "waitid",
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
                     "rmdir",
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
                     "chown",
                     "fchown",
                     "lchown",
                     "fchownat",
                     "utimensat",
                     "truncate",
                     "ftruncate",
                     "fallocate",
                     "setxattr",
                     "lsetxattr",
                     "fsetxattr",
                     "shmget",
                     "shmat",
                     "msgget",
                     "semget",
                     "mq_open",
                     "memfd_create",
                     "setpriority",
                     "sched_setscheduler",
                     "sched_setparam",
                     "sched_setattr",
                     "ioprio_set",
                     "setsid",
                     "setpgid"});
    // signals that resume a process which the bench has stopped
    f.rules(refuse, {"timer_create", "mq_notify", "rt_sigqueueinfo", "rt_tgsigqueueinfo"});
    f.rule(refuse, "prlimit64", {SCMP_A0(SCMP_CMP_NE, 0)});
    f.rule(refuse, "prlimit64", {SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_NE, 0)});
    f.rule(refuse, "setrlimit");
    f.rule(refuse, "prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_DUMPABLE)});  // what crashes leaves no dump
    for (const int command : {F_SETSIG, F_SETOWN, F_SETOWN_EX, F_NOTIFY, F_SETLEASE})
        f.rule(refuse, "fcntl", {SCMP_A1(SCMP_CMP_EQ, static_cast<unsigned>(command))});
    f.rule(refuse, "prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG)});
    f.rule(refuse, "prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_SPECULATION_CTRL)});
    f.rule(refuse, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_VFORK, CLONE_VFORK)});
    f.rule(refuse, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
    for (const unsigned bit : writes) f.rule(SCMP_ACT_ERRNO(EACCES), "openat", {SCMP_A2(SCMP_CMP_MASKED_EQ, bit, bit)});
    f.rules(SCMP_ACT_ERRNO(EACCES), {"open", "creat"});
    // of whichever process: OpenMP asks for its threads' cores, and the bench's cores are nobody's to move
    f.rule(SCMP_ACT_ERRNO(0), "sched_setaffinity");
}

void end_who_attacks(FilterBuilder& f) {
    f.rules(SCMP_ACT_KILL_PROCESS, {"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "bpf",
                                    "perf_event_open", "userfaultfd", "io_uring_setup", "keyctl", "mount", "umount2",
                                    "setns", "unshare", "personality", "init_module", "finit_module", "kexec_load"});
}

}  // namespace

// What is not named is answered as by a kernel that lacks it: queues and semaphores, whose contents outlive a process,
// attributes and permissions of files, keys, clone3 (whose flags lie in memory), and whatever a later kernel brings.
Filter system_calls(bool driver) {
    FilterBuilder f(not_there);
    allow_own_work(f);
    allow_memory(f, driver);
    allow_reading(f);
    allow_commands(f, driver);
    refuse_with_a_word(f);
    end_who_attacks(f);
    return f.program();
}

}  // namespace hone::python
