#include "sandbox/filters.hpp"
#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <cerrno>
#include <initializer_list>
#include "base/error.hpp"
#include "sandbox/runner/control.hpp"

namespace hone {
namespace {

constexpr auto allow = SCMP_ACT_ALLOW;
constexpr unsigned tmpfile_bit = O_TMPFILE & ~O_DIRECTORY, writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | tmpfile_bit;

constexpr auto report = SCMP_ACT_NOTIFY;

// to take away, merge or evict pages that are shared
constexpr unsigned advice_on_others[] = {MADV_REMOVE, MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT};
constexpr unsigned harmless_advice[] = {MADV_NORMAL,        MADV_RANDOM,        MADV_SEQUENTIAL, MADV_WILLNEED,
                                        MADV_DONTNEED,      MADV_FREE,          MADV_HUGEPAGE,   MADV_NOHUGEPAGE,
                                        MADV_POPULATE_READ, MADV_POPULATE_WRITE};

void allow_harmless_calls(FilterBuilder& f) {
    // the hand-over and the team's barriers; on pages that are shared a wake-up more is harmless, for the bench sleeps
    // in slices
    f.first("futex");
    f.rules(allow, {"futex", "set_robust_list", "rseq", "set_tid_address", "sched_yield", "restart_syscall"});
    f.rules(allow, {"munmap", "mremap", "brk"});  // memory: bounded by RLIMIT_AS
    f.rules(allow, {"exit_group"});
    f.rules(allow, {"rt_sigreturn", "rt_sigaction", "rt_sigprocmask",
                    "sigaltstack"});  // its own: nothing here depends on how it dies
    // clocks to look at and to sleep by: the one that counts is the bench's
    f.rules(allow,
            {"clock_gettime", "clock_getres", "gettimeofday", "time", "nanosleep", "clock_nanosleep", "getrandom"});
    f.rules(allow, {"getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getcpu", "uname",
                    "sysinfo", "getrusage"});
    f.rules(allow, {"sched_getaffinity"});
    // the loader's, of descriptors that are open: /dev/null and the library
    f.rules(allow, {"read", "pread64", "fstat", "close", "lseek"});
    f.rule(allow, "prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME)});  // of a thread of its own: nothing here shows it
    f.rule(allow, "prctl", {SCMP_A0(SCMP_CMP_EQ, PR_GET_NAME)});
    f.rule(allow, "prlimit64", {SCMP_A2(SCMP_CMP_EQ, 0)});  // to look at limits
    // the state of AMX's tiles, which a process has to ask for before it may use them
    constexpr unsigned ask_what_is_permitted = 0x1022, ask_for_permission = 0x1023;  // ARCH_GET_, ARCH_REQ_XCOMP_PERM
    for (const unsigned code : {ask_what_is_permitted, ask_for_permission})
        f.rule(allow, "arch_prctl", {SCMP_A0(SCMP_CMP_EQ, code)});
    for (const unsigned advice : harmless_advice) f.rule(allow, "madvise", {SCMP_A2(SCMP_CMP_EQ, advice)});
}

// Harmless in themselves, and not done: no file is looked at, no thread leaves the core where the judge has put it. (An
// OpenMP team that grows again starts threads and would place them; the bench does.)
void answer_without_a_word(FilterBuilder& f) {
    constexpr auto nothing = SCMP_ACT_ERRNO(0), no_file = SCMP_ACT_ERRNO(EACCES);
    f.rules(nothing, {"sched_setaffinity"});
    f.rules(no_file, {"access", "faccessat", "faccessat2", "stat", "lstat", "statx", "readlink", "readlinkat"});
    f.rule(no_file, "newfstatat", {SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, 0)});
    f.rule(no_file, "open", {SCMP_A1(SCMP_CMP_MASKED_EQ, writes, 0)});
    f.rule(no_file, "openat", {SCMP_A2(SCMP_CMP_MASKED_EQ, writes | O_CLOEXEC, 0)});
    f.rule(SCMP_ACT_ERRNO(ENOTTY), "ioctl");
}

// What the bench has to look at: the ends and starts of threads, the loader's calls, and what changes or reaches others
// (offences.cpp), some of it by its arguments only.
void report_the_rest(FilterBuilder& f) {
    f.rules(report, {"exit", "clone"});
    f.rule(report, "newfstatat", {SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH)});
    f.rule(report, "openat", {SCMP_A2(SCMP_CMP_MASKED_EQ, O_CLOEXEC, O_CLOEXEC)});
    for (const unsigned bit : std::initializer_list<unsigned>{O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, tmpfile_bit}) {
        f.rule(report, "openat", {SCMP_A2(SCMP_CMP_MASKED_EQ, bit, bit)});
        f.rule(report, "open", {SCMP_A1(SCMP_CMP_MASKED_EQ, bit, bit)});
    }
    for (const unsigned advice : advice_on_others) f.rule(report, "madvise", {SCMP_A2(SCMP_CMP_EQ, advice)});
    f.rule(report, "prlimit64", {SCMP_A0(SCMP_CMP_NE, 0), SCMP_A2(SCMP_CMP_NE, 0)});
    // hands the listener over, then that descriptor is closed
    f.rule(allow, "sendmsg", {SCMP_A0(SCMP_CMP_EQ, jail_socket)});
    f.rule(report, "sendmsg", {SCMP_A0(SCMP_CMP_NE, jail_socket)});
    for (const char* name : {"write", "writev"}) {
        f.rule(allow, name, {SCMP_A0(SCMP_CMP_LE, 2)});  // /dev/null
        f.rule(report, name, {SCMP_A0(SCMP_CMP_GT, 2)});
    }
    // what can be written is not run: a kernel is what was compiled
    f.rule(allow, "mmap", {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
    f.rule(allow, "mmap",
           {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC),
            SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0)});
    f.rule(report, "mmap", {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC | PROT_WRITE)});
    f.rule(
        report, "mmap",
        {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC), SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS)});
    f.rule(allow, "mprotect", {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
    f.rule(report, "mprotect", {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC)});
    for (const char* name : always_reported()) f.rule(report, name);
}

// A machine whose libseccomp cannot write a filter is unfit; so is a filter that a jail's page has no room for.
template <class Rules> Filter written(std::uint32_t otherwise, Rules&& rules) try {
    FilterBuilder f(otherwise);
    rules(f);
    Filter filter = f.program();
    if (filter.size() > max_filter) throw std::runtime_error("the filter is too long");
    return filter;
} catch (const std::runtime_error& e) {
    throw Error(Blame::environment, "seccomp", e.what());
}

// What is not named is answered as by a kernel that lacks it, without a word to the bench: pipes, timers, files and
// locks of memory, perf, bpf, userfaultfd, io_uring, keys, clone3 (whose flags lie in memory; clone's lie in
// registers), and whatever a later kernel brings.
void keep_to_arithmetic(FilterBuilder& f) {
    allow_harmless_calls(f);
    answer_without_a_word(f);
    report_the_rest(f);
}

void deny_what_reaches_others(FilterBuilder& f) {
    f.rules(SCMP_ACT_ERRNO(EPERM), {"ptrace",
                                    "process_vm_readv",
                                    "process_vm_writev",
                                    "process_madvise",
                                    "pidfd_getfd",
                                    "pidfd_open",
                                    "kcmp",
                                    "bpf",
                                    "perf_event_open",
                                    "userfaultfd",
                                    "io_uring_setup",
                                    "io_uring_enter",
                                    "io_uring_register",
                                    "add_key",
                                    "request_key",
                                    "keyctl",
                                    "mount",
                                    "umount2",
                                    "move_mount",
                                    "fsopen",
                                    "fsmount",
                                    "open_tree",
                                    "mount_setattr",
                                    "pivot_root",
                                    "chroot",
                                    "setns",
                                    "unshare",
                                    "init_module",
                                    "finit_module",
                                    "delete_module",
                                    "kexec_load",
                                    "kexec_file_load",
                                    "reboot",
                                    "swapon",
                                    "swapoff",
                                    "acct",
                                    "quotactl",
                                    "syslog",
                                    "settimeofday",
                                    "clock_settime",
                                    "clock_adjtime",
                                    "adjtimex",
                                    "open_by_handle_at",
                                    "name_to_handle_at",
                                    "personality"});
    f.rule(SCMP_ACT_ERRNO(EPERM), "socket", {SCMP_A0(SCMP_CMP_NE, AF_UNIX)});
}

}  // namespace

const Filter& jail_filter() {
    static const Filter filter = written(SCMP_ACT_ERRNO(ENOSYS), keep_to_arithmetic);
    return filter;
}

const Filter& deny_filter() {
    static const Filter filter = written(allow, deny_what_reaches_others);
    return filter;
}

bool only_reads(std::uint64_t flags) { return (flags & writes) == 0; }

}  // namespace hone
