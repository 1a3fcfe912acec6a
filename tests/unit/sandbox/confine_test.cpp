// The steps of hone/confine.hpp, each in a process of its own: what was given up is gone, and what the kernel refuses
// is said.
#include "hone/confine.hpp"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <cerrno>
#include "hone/filter.hpp"
#include "hone/landlock.hpp"

namespace hone {
namespace {

// The status of a forked child that exits with 0 if body() holds.
template <class Body> int status_of(Body&& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}
template <class Body> bool holds(Body&& body) { return status_of(body) == 0; }

bool has_powers() {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2] = {};
    if (syscall(SYS_capget, &head, sets) != 0) return true;
    for (const auto& set : sets)
        if (set.effective | set.permitted | set.inheritable) return true;
    return false;
}

bool refuses(long result, int error) { return result < 0 && errno == error; }

Filter refusing(std::initializer_list<const char*> calls) {
    FilterBuilder f(SCMP_ACT_ALLOW);
    f.rules(SCMP_ACT_ERRNO(EXDEV), calls);
    return f.program();
}

TEST(Confine, PowersEndWithoutBeingAskedFor) {
    EXPECT_TRUE(
        holds([] { return confine::enter({}) && !has_powers() && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }));
    if (!has_powers()) GTEST_SKIP() << "there were none to keep";
    confine::Plan keeps;
    keeps.capabilities = true;
    EXPECT_TRUE(holds([&] { return confine::enter(keeps) && has_powers(); }));
}

TEST(Confine, LimitsAreSetAndNeverRaised) {
    confine::Plan wide, narrow;
    wide.limits = {{RLIMIT_NOFILE, 90}, {RLIMIT_CPU, 9}}, narrow.limits = {{RLIMIT_NOFILE, 40}, {RLIMIT_CPU, 5}};
    EXPECT_TRUE(holds([&] {
        rlimit files, seconds;
        const bool entered = confine::enter(narrow) && confine::enter(wide);
        getrlimit(RLIMIT_NOFILE, &files), getrlimit(RLIMIT_CPU, &seconds);
        return entered && files.rlim_cur == 40 && files.rlim_max == 40 && seconds.rlim_cur == 7 &&
               seconds.rlim_max == 7;  // the first plan's: 5 seconds, and 2 in which to say so
    }));
    const Filter frozen = refusing({"setrlimit", "prlimit64"});
    EXPECT_TRUE(holds([&] {
        return confine::install_filter(frozen, 0) == 0 && !confine::enter(narrow) && errno == EXDEV;
    })) << "a limit that could not be set is no limit";
}

TEST(Confine, ARulesetIsEnteredOrRefused) {
    confine::Plan unmade, none;
    unmade.ruleset = -1;
    EXPECT_TRUE(holds([&] { return !confine::enter(unmade); })) << "it could not be made";
    EXPECT_TRUE(holds([&] { return confine::enter(none) && open("/", O_RDONLY | O_DIRECTORY) >= 0; }));
    if (!landlock::version()) GTEST_SKIP() << "no Landlock on this machine";
    confine::Plan all;
    all.ruleset = landlock::ruleset_if_there();
    EXPECT_TRUE(holds([&] { return confine::enter(all) && refuses(open("/", O_RDONLY | O_DIRECTORY), EACCES); }));
    const Filter no_ruleset = refusing({"landlock_restrict_self"});
    EXPECT_TRUE(holds([&] { return confine::install_filter(no_ruleset, 0) == 0 && !confine::enter(all); }));
}

TEST(Confine, MemoryIsHidden) {
    confine::Plan hidden;
    hidden.hidden_memory = true;
    EXPECT_TRUE(holds([&] { return confine::enter(hidden) && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0; }));
}

// A filter that forbids the steps themselves does not stop them, since it comes last.
TEST(Confine, NoStepForbidsALaterOne) {
    const Filter filter = refusing({"prctl", "capset", "setrlimit", "landlock_restrict_self", "seccomp"});
    confine::Plan plan;
    plan.limits = {{RLIMIT_CORE, 1}};
    plan.hidden_memory = true;
    plan.ruleset = landlock::ruleset_if_there();
    plan.filter = &filter;
    EXPECT_TRUE(holds([&] {
        return confine::enter(plan) && !confine::no_new_powers() && !confine::drop_capabilities() &&
               !confine::hide_memory() && !confine::enter_ruleset(0) && confine::install_filter(filter, 0) < 0;
    }));
}

TEST(Confine, ARefusedStepIsSaid) {
    const Filter powers_stay = refusing({"capset"}), no_filters = refusing({"seccomp"});
    EXPECT_TRUE(
        holds([&] { return confine::install_filter(powers_stay, 0) == 0 && !confine::enter({}) && errno == EXDEV; }));
    confine::Plan filtered;
    filtered.filter = &powers_stay;
    EXPECT_TRUE(holds([&] { return confine::install_filter(no_filters, 0) == 0 && !confine::enter(filtered); }));
    const Filter empty;
    filtered.filter = &empty;
    EXPECT_TRUE(holds([&] { return !confine::enter(filtered); })) << "a filter of no instruction confines nothing";
}

TEST(Confine, ProgramsInheritNoDescriptor) {
    const auto looks_for_it = [](bool closes) {
        return status_of([&] {
            if (dup2(0, 57) != 57 || (closes && !confine::close_when_a_program_starts(3))) return false;
            execl("/bin/sh", "sh", "-c", "[ ! -e /proc/self/fd/57 ]", nullptr);
            return false;
        });
    };
    EXPECT_EQ(WEXITSTATUS(looks_for_it(false)), 1);
    EXPECT_EQ(WEXITSTATUS(looks_for_it(true)), 0);
}

TEST(Filters, AMissingRuleIsNoFilter) {
    FilterBuilder f(SCMP_ACT_ALLOW);
    EXPECT_THROW(f.rule(SCMP_ACT_ERRNO(EPERM), "no_such_call"), std::runtime_error);
    EXPECT_THROW(f.rule(SCMP_ACT_ALLOW, "getppid"), std::runtime_error) << "it is what happens anyway";
}

TEST(Filters, DoWhatTheyAreAskedFor) {
    const Filter filter = refusing({"socket"});
    EXPECT_TRUE(holds([&] {
        return confine::install_filter(filter, confine::keep_speculation) == 0 &&
               refuses(socket(AF_UNIX, SOCK_DGRAM, 0), EXDEV) && open("/dev/null", O_RDONLY) >= 0;
    }));
#ifdef __x86_64__
    const int status = status_of([&] {
        long number = 20;  // getpid of 32 bits
        if (confine::install_filter(filter, 0) == 0) asm volatile("int $0x80" : "+a"(number));
        return true;
    });
    EXPECT_TRUE(WIFSIGNALED(status)) << "calls of another architecture end the process";
#endif
}

}  // namespace
}  // namespace hone
