#include "verifier_cuda/runner/runner_lock.hpp"
#include <sched.h>
#include <cerrno>
#include "hone/confine.hpp"
#include "hone/filter.hpp"
#include "hone/landlock.hpp"

namespace hone::cuda {
namespace {

Filter filter(std::uint32_t forbidden) {
    FilterBuilder f(SCMP_ACT_ALLOW);
    f.rules(
        forbidden,
        {"execve",      "execveat", "fork",   "vfork",           "ptrace",      "process_vm_readv", "process_vm_writev",
         "pidfd_getfd", "kcmp",     "bpf",    "perf_event_open", "userfaultfd", "io_uring_setup",   "keyctl",
         "mount",       "umount2",  "setns",  "unshare",         "socket",      "connect",          "bind",
         "kill",        "tkill",    "tgkill", "personality",     "init_module", "finit_module",     "kexec_load",
         "shmget",      "shmat"});
    // the driver makes threads; clone3, whose flags lie in memory, is said not to be there
    f.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3");
    f.rule(forbidden, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
    return f.program();
}

}  // namespace

bool lock_runner(const std::vector<std::string>& libraries) {
    const Filter calls = filter(libraries.empty() ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ERRNO(EPERM));
    confine::Plan plan;
    plan.hidden_memory = true;
    plan.ruleset = landlock::ruleset_if_there();
    for (const std::string& folder : libraries)
        if (plan.ruleset && !landlock::allow(*plan.ruleset, folder.c_str(), landlock::read_only)) return false;
    plan.filter = &calls;
    return confine::enter(plan);
}

}  // namespace hone::cuda
