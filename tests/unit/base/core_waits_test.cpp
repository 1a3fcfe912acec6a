#include "base/core_waits.hpp"
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>
#include "base/load.hpp"
#include "base/process.hpp"

namespace hone {
namespace {

void work_on(int core, double seconds) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (const double begun = monotonic_seconds(); monotonic_seconds() - begun < seconds;) {
    }
}

// Of two that share a core one waits at least nearly half of the time, whatever else runs.
TEST(CoreWaits, TellsOfAThreadThatSharesItsCore) {
    const int core = *usable_cores().begin();
    CoreWaits waits;
    waits.begin({getpid()});
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back(work_on, core, 0.3);
    double longest = 0;  // the files of a thread end with it
    for (const double begun = monotonic_seconds(); longest < 0.05 && monotonic_seconds() - begun < 0.25;)
        longest = waits.longest();
    for (std::thread& thread : threads) thread.join();
    EXPECT_GE(longest, 0.05);
    double least = longest;  // this thread may lose its core between two lines, not each time
    for (int i = 0; i < 20; ++i) waits.begin({getpid()}), least = std::min(least, waits.longest());
    EXPECT_LT(least, 0.001) << "what was waited before begin() does not count";
}

TEST(CoreWaits, TellsNothingOfAProcessThatIsNone) {
    CoreWaits waits;
    waits.begin({0});
    EXPECT_EQ(waits.longest(), 0);
}

}  // namespace
}  // namespace hone
