#include "judge/filters.hpp"
#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include "base/error.hpp"
#include "base/process.hpp"
#include "jail/control.hpp"

namespace hone {
namespace {

// A filter under construction. Calls are given by name: a kernel or architecture that lacks one simply has no rule for it.
class FilterBuilder {
public:
    explicit FilterBuilder(std::uint32_t otherwise) : context_(seccomp_init(otherwise)) {
        if (!context_) throw Error(Blame::environment, "seccomp", "libseccomp refused to make a filter");
        seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    }
    ~FilterBuilder() { seccomp_release(context_); }
    FilterBuilder(const FilterBuilder&) = delete;
    void rule(std::uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> arguments = {}) {
        const int number = seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR) return;
        seccomp_rule_add_array(context_, action, number, static_cast<unsigned>(arguments.size()), std::data(arguments));
    }
    void rules(std::uint32_t action, std::initializer_list<const char*> names) {
        for (const char* name : names) rule(action, name);
    }
    void first(const char* name) { seccomp_syscall_priority(context_, seccomp_syscall_resolve_name(name), 255); }

    Filter program() const {
        const Fd file(memfd_create("filter", MFD_CLOEXEC));
        if (seccomp_export_bpf(context_, file.get()) != 0)
            throw Error(Blame::environment, "seccomp", "libseccomp could not write the filter");
        Filter filter(static_cast<std::size_t>(lseek(file.get(), 0, SEEK_END)) / sizeof(sock_filter));
        if (pread(file.get(), filter.data(), filter.size() * sizeof(sock_filter), 0) < 0 || filter.size() > max_filter)
            throw Error(Blame::environment, "seccomp", "the filter could not be read back");
        return filter;
    }

private:
    scmp_filter_ctx context_;
};

constexpr auto allow = SCMP_ACT_ALLOW;

// What is not named is reported: files, sockets, pipes, processes, clocks that can be set, timers, signals to others, shared memory, locks of
// memory, scheduling classes and priorities, perf, bpf, userfaultfd, io_uring, keys, memfds, and whatever a later kernel brings.
Filter make_jail_filter() {
    FilterBuilder f(SCMP_ACT_NOTIFY);
    // the hand-over and the team's barriers; on pages that are shared a wake-up more is harmless, for the bench sleeps in slices
    f.first("futex");
    f.rules(allow, {"futex", "set_robust_list", "rseq", "set_tid_address", "sched_yield", "restart_syscall"});
    f.rules(allow, {"munmap", "mremap", "brk"});  // memory: bounded by RLIMIT_AS
    f.rules(allow, {"exit", "exit_group"});
    f.rules(allow, {"rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "sigaltstack"});  // its own: nothing here depends on how it dies
    // clocks to look at and to sleep by: the one that counts is the bench's
    f.rules(allow, {"clock_gettime", "clock_getres", "gettimeofday", "time", "nanosleep", "clock_nanosleep", "getrandom"});
    f.rules(allow, {"getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getcpu", "uname", "sysinfo"});
    f.rules(allow, {"sched_getaffinity"});
    // its own thread only. For any other the bench is asked: one that moves others' processes slows down what it is compared with
    f.rule(allow, "sched_setaffinity", {SCMP_A0(SCMP_CMP_EQ, 0)});
    f.rules(allow, {"read", "pread64", "fstat", "close", "lseek"});  // the loader's, of descriptors that are open: /dev/null and the library
    f.rule(allow, "sendmsg", {SCMP_A0(SCMP_CMP_EQ, jail_socket)});  // hands the listener over, then that descriptor is closed
    for (const unsigned advice : {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE})
        f.rule(allow, "madvise", {SCMP_A2(SCMP_CMP_EQ, advice)});  // none that evicts, merges or takes away pages of memory that is shared
    // what can be written is not run: a kernel is what was compiled
    f.rule(allow, "mmap", {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
    f.rule(allow, "mmap", {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC), SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0)});
    f.rule(allow, "mprotect", {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
    for (const char* name : {"write", "writev"}) f.rule(allow, name, {SCMP_A0(SCMP_CMP_LE, 2)});  // /dev/null
    f.rule(allow, "prlimit64", {SCMP_A2(SCMP_CMP_EQ, 0)});                                        // to look at limits
    f.rule(SCMP_ACT_ERRNO(ENOTTY), "ioctl");
    f.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3");  // its flags lie in memory; clone's in registers, where the bench can trust them
    return f.program();
}

Filter make_deny_filter() {
    FilterBuilder f(allow);
    f.rules(SCMP_ACT_ERRNO(EPERM),
            {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "pidfd_open", "kcmp",
             "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "add_key",
             "request_key", "keyctl", "mount", "umount2", "move_mount", "fsopen", "fsmount", "open_tree", "mount_setattr",
             "pivot_root", "chroot", "setns", "unshare", "init_module", "finit_module", "delete_module", "kexec_load",
             "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "syslog", "settimeofday",
             "clock_settime", "clock_adjtime", "adjtimex", "open_by_handle_at", "name_to_handle_at", "personality"});
    f.rule(SCMP_ACT_ERRNO(EPERM), "socket", {SCMP_A0(SCMP_CMP_NE, AF_UNIX)});
    return f.program();
}

struct Kind {
    const char* kind;
    std::initializer_list<const char*> calls;
};

const Kind kinds[] = {
    {"network",
     {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg"}},
    {"files",
     {"open", "openat", "openat2", "creat", "access", "faccessat", "faccessat2", "stat", "lstat", "newfstatat",
      "statx", "readlink", "readlinkat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat",
      "rmdir", "link", "linkat", "symlink", "symlinkat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod",
      "chown", "getdents", "getdents64", "chdir", "getcwd", "memfd_create", "name_to_handle_at", "open_by_handle_at",
      "write", "writev", "pwrite64", "dup", "dup2", "dup3", "fcntl"}},
    {"processes", {"fork", "vfork", "clone", "clone3", "execve", "execveat", "wait4", "waitid", "setsid", "setpgid"}},
    {"signals", {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "pidfd_open"}},
    {"memory of others", {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "madvise", "pidfd_getfd", "kcmp", "shmget", "shmat"}},
    {"code", {"mprotect", "pkey_mprotect", "mmap"}},
    {"scheduling", {"sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority", "ioprio_set"}},
};

}  // namespace

const Filter& jail_filter() {
    static const Filter filter = make_jail_filter();
    return filter;
}

const Filter& deny_filter() {
    static const Filter filter = make_deny_filter();
    return filter;
}

bool install_filter(const Filter& filter) {
    const sock_fprog program{static_cast<unsigned short>(filter.size()), const_cast<sock_filter*>(filter.data())};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}

std::string call_name(int number) {
    const std::unique_ptr<char, decltype(&std::free)> name(seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number), &std::free);
    return name ? name.get() : "number " + std::to_string(number);
}

std::string call_kind(int number) {
    const std::string name = call_name(number);
    for (const Kind& kind : kinds)
        for (const char* call : kind.calls)
            if (name == call) return kind.kind;
    return "system call";
}

}  // namespace hone
