// Machines that allow less than this one, made for real: a seccomp filter around a whole process tree refuses what a
// container or an old kernel would. Levels must be found by doing, recorded, and what they still promise must hold.
#include <gtest/gtest.h>
#include <unistd.h>
#include <cerrno>
#include <initializer_list>
#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "hone/confine.hpp"
#include "hone/filter.hpp"
#include "sandbox/sandbox.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

Filter refusing(std::uint32_t error, std::initializer_list<const char*> calls) {
    FilterBuilder f(SCMP_ACT_ALLOW);
    f.rules(SCMP_ACT_ERRNO(error), calls);
    return f.program();
}

// As Docker's default profile refuses them to who lacks CAP_SYS_ADMIN.
Filter container() {
    return refusing(EPERM, {"unshare", "setns", "mount", "umount2", "pivot_root", "move_mount", "fsopen"});
}
Filter without_landlock() {
    return refusing(ENOSYS, {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"});
}
Filter without_seccomp() { return refusing(EINVAL, {"seccomp"}); }

struct Ran {
    int code;
    std::string out;
};

// A program and all that it starts, under these filters: its exit code and both output streams.
Ran run_under(const std::vector<Filter>& filters, const std::vector<std::string>& argv) {
    auto [from, to] = make_pipe();
    SpawnPlan plan;
    plan.argv = argv;
    plan.files = {{to.get(), 1}, {to.get(), 2}};
    for (char** entry = environ; *entry; ++entry) plan.environment.emplace_back(*entry);
    plan.in_child = [&] {
        for (const Filter& filter : filters)
            if (confine::install_filter(filter, confine::keep_speculation) != 0) return false;
        return true;
    };
    Child child(plan);
    to.close();
    Ran ran{-1, ""};
    char bytes[4096];
    for (ssize_t got; (got = read(from.get(), bytes, sizeof bytes)) > 0;)
        ran.out.append(bytes, static_cast<std::size_t>(got));
    int status = 0;
    if (child.wait(60, &status) && WIFEXITED(status)) ran.code = WEXITSTATUS(status);
    return ran;
}

std::string hone() { return program_path().parent_path() / "hone"; }

std::string level_under(const std::vector<Filter>& filters) {
    const Ran ran = run_under(filters, {hone(), "doctor", "--json"});
    const Json doc = Json::parse(ran.out, nullptr, false);
    if (doc.is_object())
        for (const Json& finding : doc.at("findings"))
            if (finding.at("what") == "sandbox") return finding.at("state");
    return ran.out;
}

// Attacks of sandbox/jail_test.cpp, each in a bench of its own, in this program started again there.
Ran attack_under(const std::vector<Filter>& filters, const std::string& names) {
    return run_under(filters, {program_path().string(), "--gtest_filter=" + names});
}

const std::string hostile = "Zoo/Hostile.GetsItsVerdictInTime/";

TEST(WeakMachine, AContainerWithoutNamespacesStillConfines) {
    if (!sandbox().landlock) GTEST_SKIP() << "no Landlock on this machine";
    EXPECT_EQ(level_under({container()}), "L2 (Landlock " + std::to_string(sandbox().landlock) + ", seccomp, limits)");
    const Ran ran =
        attack_under({container()}, hostile + "fork:" + hostile + "socket:" + hostile + "write_file:" + hostile +
                                        "kill_parent:" + hostile + "write_input:Build.LeaksNoFile:Build.HasLimits");
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_NE(ran.out.find("[  PASSED  ] 7 tests."), std::string::npos) << ran.out;
}

TEST(WeakMachine, AnOldKernelWithoutLandlockStillConfinesJails) {
    EXPECT_EQ(level_under({container(), without_landlock()}), "L1 (seccomp, limits)");
    const Ran ran = attack_under({container(), without_landlock()},
                                 hostile + "fork:" + hostile + "socket:" + hostile + "write_file:" + hostile +
                                     "ptrace:Honest/Manners.AreNoOffence/files_*:Jail.AMemoryBomb*");
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_NE(ran.out.find("[  PASSED  ] 7 tests."), std::string::npos) << ran.out;
}

TEST(WeakMachine, WithoutSeccompHostCodeIsRefused) {
    const std::vector<Filter> filters = {container(), without_seccomp()};
    EXPECT_EQ(level_under(filters).substr(0, 4), "L0 (");
    const std::string tasks = std::string(HONE_TEST_SOURCE_DIR) + "/tests/exploits/zoo.lua:mix",
                      program = testing::TempDir() + "hone-weak-machine.cpp";
    write_file(program, "extern \"C\" void k() {}");
    const Ran ran = run_under(filters, {hone(), "judge", tasks, program, "--reference", "lua", "--quiet"});
    EXPECT_EQ(ran.code, 4);
    EXPECT_EQ(ran.out.substr(0, 55), "hone: jail: this machine cannot confine host code: L0 (");
}

TEST(WeakMachine, LimitsAndPowersAreProbedByDoing) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer itself asks for its limits and ends without them";
#endif
    EXPECT_EQ(level_under({container(), refusing(EPERM, {"setrlimit", "prlimit64"})}).substr(0, 4), "L0 (");
    EXPECT_TRUE(level_under({container(), refusing(EPERM, {"capset"})}).ends_with(", powers that cannot be given up)"));
}

TEST(WeakMachine, TheLevelIsRecordedWithEachJudgement) {
    const std::string tasks = std::string(HONE_TEST_SOURCE_DIR) + "/tests/exploits/zoo.lua:mix",
                      program = testing::TempDir() + "hone-weak-machine.cpp";
    write_file(program, "three");  // its compiler is confined, and whoever is not started was in no other place
    const Ran ran =
        run_under({container()}, {hone(), "judge", tasks, program, "--reference", "lua", "--json", "--quiet"});
    const Json doc = Json::parse(ran.out, nullptr, false);
    ASSERT_TRUE(doc.is_object()) << ran.out;
    EXPECT_EQ(doc.at("sandbox").get<std::string>().substr(0, 3), sandbox().landlock ? "L2 " : "L1 ");
}

}  // namespace
}  // namespace hone
