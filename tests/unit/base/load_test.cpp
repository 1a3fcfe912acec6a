#include "base/load.hpp"
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <sstream>

namespace hone {
namespace {

const double tick = 1 / static_cast<double>(sysconf(_SC_CLK_TCK));

TEST(Load, TheTimesOfSomeCoresAreAdded) {
    // user nice system idle iowait irq softirq steal guest
    const std::string stat =
        "cpu  9 9 9 9 9 9 9 900 0 0\ncpu0 100 2 30 4000 5 6 7 50 0 0\ncpu1 200 0 0 0 0 0 0 25 0 0\ncpu11 1 1\nintr 5\n";
    const auto of = [&](const std::set<int>& cores) {
        std::istringstream lines(stat);
        return core_times(lines, cores);
    };
    EXPECT_DOUBLE_EQ(of({0})->working, (100 + 2 + 30 + 6 + 7) * tick);
    EXPECT_DOUBLE_EQ(of({0})->stolen, 50 * tick);
    EXPECT_DOUBLE_EQ(of({0, 1})->working, (145 + 200) * tick);
    EXPECT_DOUBLE_EQ(of({0, 1})->stolen, 75 * tick);
    EXPECT_DOUBLE_EQ(of({11})->working, 2 * tick);
    EXPECT_FALSE(of({2})) << "no such core";
    std::istringstream zeros("cpu0 0 0 0 0 0 0 0 0 0 0\n");
    EXPECT_FALSE(core_times(zeros, {0})) << "a sandbox that tells nothing";
}

TEST(Load, AProcessIsFoundBehindItsName) {
    std::istringstream stat("7 (a ) name) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 10 5 20 0 1 0 300 1000 10\n");
    EXPECT_DOUBLE_EQ(process_seconds(stat), 315 * tick);
    std::istringstream again("7 (a ) name) S 3 7 7 0 -1");
    EXPECT_EQ(parent_of(again), 3);
    EXPECT_EQ(parent_of(getpid()), getppid());
    std::istringstream nothing("");
    EXPECT_EQ(process_seconds(nothing), 0);
    EXPECT_EQ(parent_of(0), 0);
    EXPECT_EQ(process_seconds(0), 0);
}

TEST(Load, ThisProcessRunsOnSomeCore) {
    EXPECT_FALSE(usable_cores().empty());
    EXPECT_GT(used_seconds(RUSAGE_SELF), 0);
}

}  // namespace
}  // namespace hone
