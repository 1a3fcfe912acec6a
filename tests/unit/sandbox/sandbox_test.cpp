// Levels of confinement, and the memory that candidates share.
#include "sandbox/sandbox.hpp"
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <cstddef>
#include <set>
#include "base/process.hpp"
#include "error_text.hpp"
#include "hone/confine.hpp"
#include "hone/filter.hpp"
#include "hone/landlock.hpp"
#include "jail_fixture.hpp"
#include "judge/call/arena.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/call/defences.hpp"
#include "sandbox/jail.hpp"
#include "sandbox/own_runner.hpp"
#include "sandbox/services.hpp"
#include "sandbox/shared_memory.hpp"

namespace hone {
namespace {

using namespace jail_test;

TEST(Sandbox, LevelsFollowFromTheMechanisms) {
    EXPECT_EQ((Sandbox{true, 7, true, true}).text(), "L3 (namespaces, Landlock 7, seccomp, limits)");
    EXPECT_EQ((Sandbox{false, 3, true, true}).text(), "L2 (Landlock 3, seccomp, limits)");
    EXPECT_EQ((Sandbox{true, 0, true, true}).text(), "L1 (namespaces, seccomp, limits)");
    EXPECT_EQ((Sandbox{true, 7, false, true}).level(), 0);
    EXPECT_EQ((Sandbox{}).text(), "L0 (nothing)");
    EXPECT_EQ((Sandbox{true, 7, true, true, false}).text(),
              "L0 (namespaces, Landlock 7, seccomp, limits, powers that cannot be given up)");
}

// The error that `body` throws in a process of its own, once `fault` has worn out a mechanism that was found to work.
template <class Fault, class Body> std::string error_after(Fault&& fault, Body&& body) {
    (void)sandbox();
    auto [from, to] = make_pipe();
    const pid_t child = fork();
    if (child == 0) {
        fault();
        const std::string text = error_text(body);
        _exit(write(to.get(), text.data(), text.size()) < 0);
    }
    to.close();
    std::string text(1000, '\0');
    const ssize_t got = read(from.get(), text.data(), text.size());
    waitpid(child, nullptr, 0);
    return text.substr(0, static_cast<std::size_t>(std::max(got, ssize_t{0})));
}

void wear_out_landlock() {  // the kernel stacks 16 rulesets
    const landlock::Attributes device_files{1 << 6, 0, 0};
    for (int i = 0; i < 16; ++i)
        confine::enter_ruleset(static_cast<int>(syscall(SYS_landlock_create_ruleset, &device_files, 8, 0)));
}

void wear_out_seccomp() {  // the kernel bounds the instructions of all filters of a process
    for (const std::size_t length : {4096, 256, 16, 1}) {
        Filter filter(length, BPF_STMT(BPF_LD | BPF_IMM, 0));
        filter.back() = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        while (confine::install_filter(filter, 0) == 0) {
        }
    }
}

TEST(Sandbox, WhatCannotBeConfinedAsProbedIsNotStarted) {
    const auto build = [] { HostServices({}, 10).builder().build({{"/usr/bin/env"}, {}, ""}); };
    const auto own_runner = [] {
        hone_jail_plan plan{};
        plan.runner = "/bin/true";
        OwnRunner(plan, {});
    };
    if (sandbox().landlock) {
        EXPECT_EQ(error_after(wear_out_landlock, build),
                  "/usr/bin/env: is not started, its confinement failed: Argument list too long");
    }
    if (!sandbox().seccomp) GTEST_SKIP() << "no seccomp on this machine";
    EXPECT_EQ(error_after(wear_out_seccomp, build),
              "/usr/bin/env: is not started, its confinement failed: Cannot allocate memory");
    EXPECT_EQ(error_after(wear_out_seccomp, own_runner),
              "/bin/true: is not started, its confinement failed: Cannot allocate memory");
    EXPECT_EQ(error_after([] {}, build), "(no error)");
}

TEST(Sandbox, EnteredNamespacesHaveNoNetwork) {
    const pid_t child = fork();
    if (child == 0) _exit(!enter_namespaces() ? 2 : probe_sandbox().namespaces ? 0 : 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "this machine allows no namespaces";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Sandbox, SharedInputsCannotBeMappedForWritingAgain) {
    const hone_region input = share_memory(8192, false, true);
    EXPECT_EQ(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, input.file, 0), MAP_FAILED);
    void* read_only = mmap(nullptr, 8192, PROT_READ, MAP_SHARED, input.file, 0);
    ASSERT_NE(read_only, MAP_FAILED);
    EXPECT_NE(mprotect(read_only, 8192, PROT_READ | PROT_WRITE), 0);
    EXPECT_NE(ftruncate(input.file, 0), 0);
    static_cast<char*>(input.at)[5] = 7;  // the bench's own mapping stays writable
    EXPECT_EQ(static_cast<char*>(read_only)[5], 7);
    munmap(read_only, 8192);
    unshare_memory(input);
}

TEST(Arena, ARegionThatCouldNotBeMadeFitsNothing) {
    HostServices services({}, 10);
    set_bench_services(services.offer());
    Verifier verifier(make_recipe("verifier", "cpp", Json::object(), "test"));
    Arena arena(verifier);
    arena.fit(8192, 8192);
    ASSERT_TRUE(arena.fits(4096, 4096));
    EXPECT_ANY_THROW(arena.fit(std::uint64_t{1} << 60, 8192));
    EXPECT_FALSE(arena.fits(4096, 4096));
    arena.fit(4096, 4096);
    EXPECT_TRUE(arena.fits(4096, 4096));
    EXPECT_NE(arena.inputs(), 0u);
}

TEST(Defences, AreNamedWithSuggestions) {
    EXPECT_EQ(parse_defences("poison,seccomp", "judge"), (std::set<std::string>{"poison", "seccomp"}));
    EXPECT_EQ(parse_defences("poison,files", "judge"), (std::set<std::string>{"landlock", "poison", "seccomp"}));
    EXPECT_TRUE(parse_defences("", "judge").empty());
    EXPECT_EQ(error_text([] { parse_defences("poisn", "judge"); }),
              "judge: no defence \"poisn\"; did you mean \"poison\"?");
}

}  // namespace
}  // namespace hone
