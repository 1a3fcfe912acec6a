// What a candidate may not try: calls that change or reach others. Each is reported to the bench, and the verdict
// accuses.
#include <seccomp.h>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include "sandbox/filters.hpp"

namespace hone {
namespace {

struct Kind {
    const char* kind;
    std::vector<const char*> calls, by_argument;  // the latter are reported for some of their arguments (filters.cpp)
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {"network",
         {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmmsg", "recvfrom",
          "recvmsg"},
         {"sendmsg"}},
        {"files",  // written, made or removed where others see it; to look at one is refused without a word
         {"creat", "unlink", "unlinkat", "rename",    "renameat", "renameat2", "mkdir",    "mkdirat",   "rmdir",
          "link",  "linkat", "symlink",  "symlinkat", "mknod",    "mknodat",   "truncate", "ftruncate", "fallocate",
          "chmod", "fchmod", "fchmodat", "chown",     "fchown",   "fchownat",  "pwrite64"},
         {"open", "openat", "write", "writev"}},
        {"processes", {"fork", "vfork", "execve", "execveat", "setsid", "setpgid"}, {"clone"}},
        {"signals",
         {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "pidfd_open"},
         {}},
        {"memory of others",
         {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "shmget",
          "shmat"},
         {"madvise"}},
        {"code", {"pkey_mprotect"}, {"mprotect", "mmap"}},
        {"scheduling",
         {"sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority", "ioprio_set"},
         {"prlimit64"}},
    };
    return all;
}

bool contains(const std::vector<const char*>& calls, const std::string& name) {
    return std::find(calls.begin(), calls.end(), name) != calls.end();
}

}  // namespace

std::vector<const char*> always_reported() {
    std::vector<const char*> all;
    for (const Kind& kind : kinds()) all.insert(all.end(), kind.calls.begin(), kind.calls.end());
    return all;
}

std::string call_name(int number) {
    const std::unique_ptr<char, decltype(&std::free)> name(seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number),
                                                           &std::free);
    return name ? name.get() : "number " + std::to_string(number);
}

std::string call_kind(int number) {
    const std::string name = call_name(number);
    for (const Kind& kind : kinds())
        if (contains(kind.calls, name) || contains(kind.by_argument, name)) return kind.kind;
    return "system call";
}

}  // namespace hone
