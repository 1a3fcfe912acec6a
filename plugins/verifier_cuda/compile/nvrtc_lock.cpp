#include "verifier_cuda/compile/nvrtc_lock.hpp"
#include <fcntl.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include "hone/landlock.hpp"
#include "verifier_cuda/compile/nvrtc_page.hpp"

namespace hone::cuda {
namespace {

int make_ruleset(const std::vector<std::string>& readable, const std::string& writable) {
    const int ruleset = landlock::make_ruleset();
    for (const std::string& path : readable) landlock::allow(ruleset, path.c_str(), landlock::read_only);
    landlock::allow(ruleset, "/dev/null", landlock::read_file | landlock::write_file);
    landlock::allow(ruleset, writable.c_str(), ~(landlock::execute | landlock::ioctl_device));
    return ruleset;
}

bool is_off(const char* defence) {  // by a test of the defences
    const char* without = std::getenv("HONE_WITHOUT");
    return without && std::strstr(without, defence);
}

bool enter_ruleset(int ruleset) {
    return landlock::version() == 0 || is_off(" landlock ") || (ruleset >= 0 && landlock::enter(ruleset));
}

bool drop_capabilities() {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};
    return syscall(SYS_capset, &head, none) == 0;
}

// What NVRTC calls (seen with strace), and what the C library may call in its place. Anything else fails with EPERM.
bool install_filter() {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    const auto allow = [&](const char* name) {
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name(name), 0);
    };
    for (const char* name : {"read",     "pread64",   "readv",      "write",    "writev",     "lseek",  "open",
                             "openat",   "close",     "stat",       "fstat",    "lstat",      "statx",  "newfstatat",
                             "access",   "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "unlink",
                             "unlinkat", "ftruncate", "fcntl",      "brk",      "munmap",     "mremap", "madvise"})
        allow(name);
    for (const char* name :
         {"futex",        "sched_yield", "rseq",         "set_robust_list",   "set_tid_address", "restart_syscall",
          "getpid",       "gettid",      "getuid",       "geteuid",           "getgid",          "getegid",
          "uname",        "sysinfo",     "getrandom",    "sched_getaffinity", "clock_gettime",   "clock_getres",
          "gettimeofday", "time",        "rt_sigaction", "rt_sigprocmask",    "rt_sigreturn",    "sigaltstack",
          "exit",         "exit_group"})
        allow(name);
    for (const char* name : {"mmap", "mprotect"})
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name(name), 1,
                         SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    // to look at limits
    seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_EQ, 0));
    seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
                     SCMP_A1(SCMP_CMP_EQ, RLIMIT_STACK));
    // abort()
    seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                     SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));
    const bool done = seccomp_load(filter) == 0;
    seccomp_release(filter);
    return done;
}

bool limit(int resource, rlim_t soft, rlim_t hard) {
    const rlimit values{soft, hard};
    return setrlimit(static_cast<__rlimit_resource>(resource), &values) == 0;
}

}  // namespace

Lock::Lock(const std::vector<std::string>& readable, const std::string& all, const std::string& work, unsigned seconds)
    : seconds_(seconds),
      server_(make_ruleset(readable, all)),
      child_(make_ruleset(readable, work)),
      size_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

bool Lock::enter() const { return drop_capabilities() && enter_ruleset(server_); }

rlim_t Lock::address_space() const {
    char pages[32] = "";
    return pread(size_, pages, sizeof pages - 1, 0) > 0 ? std::strtoull(pages, nullptr, 10) * 4096 : 0;
}

bool Lock::enter_child() const {
    const rlim_t space = address_space() + compile_memory;
    // past the soft limit of processor time comes SIGXCPU, which says what happened; past the hard one SIGKILL
    return limit(RLIMIT_AS, space, space) && limit(RLIMIT_CPU, seconds_, seconds_ + 2) &&
           limit(RLIMIT_FSIZE, compile_files, compile_files) && enter_ruleset(child_) && install_filter();
}

}  // namespace hone::cuda
