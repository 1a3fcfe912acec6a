#include "cuda/compile/nvrtc_lock.hpp"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include "cuda/compile/nvrtc_page.hpp"
#include "hone/confine.hpp"
#include "hone/filter.hpp"
#include "hone/landlock.hpp"

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

// Where the kernel has Landlock, a ruleset that could not be made is refused.
std::optional<int> wanted(int ruleset) {
    return landlock::version() == 0 || is_off(" landlock ") ? std::nullopt : std::optional(ruleset);
}

// What NVRTC calls (seen with strace), and what the C library may call in its place. Anything else fails with EPERM.
Filter filter() {
    constexpr auto allow = SCMP_ACT_ALLOW;
    FilterBuilder f(SCMP_ACT_ERRNO(EPERM));
    f.rules(allow, {"read",     "pread64",   "readv",      "write",    "writev",     "lseek",  "open",
                    "openat",   "close",     "stat",       "fstat",    "lstat",      "statx",  "newfstatat",
                    "access",   "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "unlink",
                    "unlinkat", "ftruncate", "fcntl",      "brk",      "munmap",     "mremap", "madvise"});
    f.rules(allow,
            {"futex",        "sched_yield", "rseq",         "set_robust_list",   "set_tid_address", "restart_syscall",
             "getpid",       "gettid",      "getuid",       "geteuid",           "getgid",          "getegid",
             "uname",        "sysinfo",     "getrandom",    "sched_getaffinity", "clock_gettime",   "clock_getres",
             "gettimeofday", "time",        "rt_sigaction", "rt_sigprocmask",    "rt_sigreturn",    "sigaltstack",
             "exit",         "exit_group"});
    for (const char* name : {"mmap", "mprotect"}) f.rule(allow, name, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
    // to look at limits, and to set that of the stack
    f.rule(allow, "prlimit64", {SCMP_A2(SCMP_CMP_EQ, 0)});
    f.rule(allow, "prlimit64", {SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A1(SCMP_CMP_EQ, RLIMIT_STACK)});
    f.rule(allow, "tgkill", {SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid()))});  // abort()
    return f.program();
}

}  // namespace

Lock::Lock(const std::vector<std::string>& readable, const std::string& all, const std::string& work, unsigned seconds)
    : seconds_(seconds),
      server_(make_ruleset(readable, all)),
      child_(make_ruleset(readable, work)),
      size_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

bool Lock::enter() const {
    confine::Plan plan;
    plan.ruleset = wanted(server_);
    return confine::enter(plan);
}

rlim_t Lock::address_space() const {
    char pages[32] = "";
    return pread(size_, pages, sizeof pages - 1, 0) > 0 ? std::strtoull(pages, nullptr, 10) * 4096 : 0;
}

bool Lock::enter_child() const try {
    const Filter calls = filter();
    confine::Plan plan;
    plan.limits = {
        {RLIMIT_AS, address_space() + compile_memory}, {RLIMIT_CPU, seconds_}, {RLIMIT_FSIZE, compile_files}};
    plan.ruleset = wanted(child_);
    plan.filter = &calls;
    return confine::enter(plan);
} catch (const std::exception&) {  // libseccomp refused
    return false;
}

}  // namespace hone::cuda
