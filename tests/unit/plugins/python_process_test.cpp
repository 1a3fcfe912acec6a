// What a Python program's process had of a core, and how long its calls may take beside that.
#include <gtest/gtest.h>
#include <unistd.h>
#include <ctime>
#include "verifier_python/process.hpp"

namespace hone::python {
namespace {

constexpr double limit = 0.25;

TEST(PythonProcess, WhoWorksIsLateAtItsLimit) {
    EXPECT_FALSE(is_late(0.2, 0.2, limit));
    EXPECT_TRUE(is_late(0.3, 0.2, limit));
}

TEST(PythonProcess, WhoWasKeptFromTheCoresGetsAsLongAsAJail) {
    EXPECT_FALSE(is_late(0.7, 0.1, limit));
    EXPECT_FALSE(is_late(0.7, 0, limit)) << "who sleeps looks like that";
    EXPECT_TRUE(is_late(0.8, 0, limit)) << "and ends";
    EXPECT_TRUE(is_late(2.1, 0.1, 2)) << "a long limit is no longer by it";
}

TEST(PythonProcess, WorkIsCountedAndSleepIsNot) {
    const WorkedTime worked(getpid());
    const double before = worked.seconds();
    usleep(50'000);
    const double slept = worked.seconds() - before;
    const std::clock_t begun = std::clock();
    while (std::clock() - begun < CLOCKS_PER_SEC / 10) {
    }
    EXPECT_LT(slept, 0.04);
    EXPECT_GT(worked.seconds() - before - slept, 0.05);
    EXPECT_EQ(WorkedTime(-1).seconds(), 0);
}

}  // namespace
}  // namespace hone::python
