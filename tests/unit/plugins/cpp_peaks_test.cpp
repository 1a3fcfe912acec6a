// The peaks that verifier.cpp measures: when, how often, and what it tells of them.
#include <gtest/gtest.h>
#include <cstdlib>
#include <fstream>
#include "base/paths.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/call/peaks.hpp"
#include "verifier_cpp/peak_loops.hpp"
#include "verifier_cpp/peaks.hpp"

namespace hone {
namespace {

TEST(CppPeaks, TheLoopsDoWhatTheyCount) {
    const cpp::PeakLoops loops = cpp::peak_loops();
    EXPECT_FLOAT_EQ(loops.multiply_add(1, 0.5f), (11 * 12 / 2) * 0.5f + 12 * 0.5f);
    EXPECT_EQ(loops.flops_a_round % (2 * 12), 0);
    alignas(64) static std::uint64_t memory[1024] = {};
    EXPECT_EQ(loops.read(memory, sizeof memory), 0u);
    memory[960] = 4;
    EXPECT_EQ(loops.read(memory, sizeof memory), 4u);
}

// With a cache folder of its own, in which nothing was measured yet.
class CppPeaksFile : public ::testing::Test {
protected:
    CppPeaksFile() {
        if (const char* here = std::getenv("XDG_CACHE_HOME")) before_ = here;
        fs::create_directories(folder_);
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    ~CppPeaksFile() {
        before_ ? setenv("XDG_CACHE_HOME", before_->c_str(), 1) : unsetenv("XDG_CACHE_HOME");
        fs::remove_all(folder_);
    }

    const fs::path folder_ = fs::path(testing::TempDir()) / ("hone-peaks-" + std::to_string(getpid()));
    std::optional<std::string> before_;
};

// A machine is not faster in memory than in its nearest cache, nor at arithmetic in one process than its vectors allow.
TEST_F(CppPeaksFile, AProbeMeasuresAndFactsTell) {
    Verifier verifier(make_recipe("verifier", "cpp", Json::object(), "test"));
    ASSERT_TRUE(verifier.offers_probe());
    verifier.device();
    EXPECT_TRUE(find_peaks(verifier.facts()).levels.empty()) << "who only asks measures nothing";
    EXPECT_FALSE(cpp::known_peaks());
    EXPECT_EQ(verifier.probe({}).at("measurings"), 1);

    const DevicePeaks peaks = find_peaks(verifier.facts());
    ASSERT_EQ(peaks.levels.size(), 5u);
    for (const DevicePeaks::Level& level : peaks.levels) EXPECT_GT(level.bytes_per_second, 1e8);
    EXPECT_GT(peaks.levels.front().bytes_per_second, peaks.levels.back().bytes_per_second);
    EXPECT_GT(peaks.flops_per_second, 1e8);
    EXPECT_LT(peaks.flops_per_second, peaks.cores * 128 * 10e9);
    const Verifier next(make_recipe("verifier", "cpp", Json::object(), "test"));
    EXPECT_EQ(next.facts().at("flops_per_second"), peaks.flops_per_second) << "it was kept, and is read";
}

TEST_F(CppPeaksFile, TheBestOfFourIsKept) {
    cpp::Peaks last = cpp::measured_peaks();
    for (int measurings = 2; measurings <= 4; ++measurings) {
        const cpp::Peaks next = cpp::measured_peaks();
        EXPECT_EQ(next.measurings, measurings);
        EXPECT_GE(next.flops_per_second, last.flops_per_second);
        for (std::size_t i = 0; i < next.levels.size(); ++i)
            EXPECT_GE(next.levels[i].bytes_per_second, last.levels[i].bytes_per_second);
        last = next;
    }
    EXPECT_EQ(cpp::measured_peaks(), last) << "it is not measured again";
    EXPECT_EQ(cpp::known_peaks(), last) << "a file keeps every digit";
}

TEST_F(CppPeaksFile, AFileOfAnotherBootOrNoneAtAllTellsNothing) {
    cpp::measured_peaks();
    std::ofstream(folder_ / "hone" / "peaks") << "another machine, 2 cores, boot 1\n4 2 1e9\n";
    EXPECT_FALSE(cpp::known_peaks());
    std::ofstream(folder_ / "hone" / "peaks") << "";
    EXPECT_FALSE(cpp::known_peaks());
}

}  // namespace
}  // namespace hone
