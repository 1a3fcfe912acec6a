// hone/confine.hpp: how a process gives up what it may do, for good. Engine, runners and compile servers confine
// themselves with these steps alone. A step is async-signal-safe and allocates nothing. It returns false, and errno
// says why, where the kernel refused: what was to be confined must not run then. hone/landlock.hpp makes the rulesets,
// hone/filter.hpp the filters.
#pragma once
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace hone::confine {

// No program that is started later brings powers back. The kernel wants this before a ruleset or a filter.
inline bool no_new_powers() { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

// Root's powers, of the calling thread.
inline bool drop_capabilities() {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};
    return syscall(SYS_capset, &head, none) == 0;
}

// Processes of the same user can neither trace this one nor read its memory, and it leaves no dump.
inline bool hide_memory() { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

// A narrower limit of this session stays: who is not root cannot raise it, and need not.
inline bool limit(int resource, rlim_t soft, rlim_t hard) {
    const auto which = static_cast<__rlimit_resource>(resource);
    rlimit now;
    if (getrlimit(which, &now) != 0) return false;
    const rlimit narrower{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
    return setrlimit(which, &narrower) == 0;
}

// Landlock, of the calling thread and those that it starts later. A ruleset that could not be made (-1) is refused.
inline bool enter_ruleset(int ruleset) {
    return no_new_powers() && syscall(SYS_landlock_restrict_self, ruleset, 0u) == 0;
}

// seccomp. flags: SECCOMP_FILTER_FLAG_*; with NEW_LISTENER the result is its descriptor, otherwise 0. -1: refused.
inline int install_filter(std::span<const sock_filter> filter, unsigned flags) {
    const sock_fprog program{static_cast<unsigned short>(filter.size()), const_cast<sock_filter*>(filter.data())};
    if (!no_new_powers()) return -1;
    return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

// Of a filter: what runs under it keeps the speculation of what does not, such as a candidate's reference.
constexpr unsigned keep_speculation = SECCOMP_FILTER_FLAG_SPEC_ALLOW;

// Programs that are started later get no descriptor from this one on.
inline bool close_when_a_program_starts(unsigned first) { return close_range(first, ~0u, CLOSE_RANGE_CLOEXEC) == 0; }

inline bool end_with_parent() { return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0; }

struct Limit {
    int resource;
    rlim_t value;
};

// Past the hard limit of processor time the kernel kills, which would look like a lack of memory; the soft one says
// SIGXCPU.
constexpr rlim_t seconds_to_say_so = 2;

// Which steps a process takes, beside those that cost nobody anything.
struct Plan {
    std::vector<Limit> limits;
    bool capabilities = false;  // keep those of root
    bool hidden_memory = false;
    std::optional<int> ruleset;                        // Landlock's; nullopt: none
    const std::vector<sock_filter>* filter = nullptr;  // null: none
    unsigned filter_flags = 0;                         // SECCOMP_FILTER_FLAG_*
};

// Takes the steps in their order: no step forbids a later one, and a filter, which could, comes last.
inline bool enter(const Plan& plan) {
    if (!no_new_powers()) return false;
    for (const auto& [resource, value] : plan.limits)
        if (!limit(resource, value, value + (resource == RLIMIT_CPU ? seconds_to_say_so : 0))) return false;
    return (plan.capabilities || drop_capabilities()) && (!plan.hidden_memory || hide_memory()) &&
           (!plan.ruleset || enter_ruleset(*plan.ruleset)) &&
           (!plan.filter || install_filter(*plan.filter, plan.filter_flags) >= 0);
}

}  // namespace hone::confine
