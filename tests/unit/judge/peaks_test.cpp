// The roofline: what no program can exceed, and how near a task's time is.
#include "judge/call/peaks.hpp"
#include <gtest/gtest.h>
#include "lua/task_file.hpp"

namespace hone {
namespace {

const DevicePeaks two_cores{{{16e3, 800e9}, {1e6, 200e9}, {32e6, 20e9}}, 100e9, 2};

TEST(DevicePeaks, EachCoreHasItsShareOfTheBytes) {
    EXPECT_EQ(two_cores.bandwidth(1), 800e9);
    EXPECT_EQ(two_cores.bandwidth(1.9e6), 800e9) << "950 kB a core: nearer to the smaller level";
    EXPECT_EQ(two_cores.bandwidth(2e6), 200e9);
    EXPECT_EQ(two_cores.bandwidth(1e9), 20e9);
    EXPECT_EQ(DevicePeaks().bandwidth(1), 0);
    DevicePeaks odd = two_cores;
    odd.levels[2].bytes_per_second = 300e9;
    EXPECT_EQ(odd.bandwidth(2e6), 300e9) << "what a larger footprint was seen to give, a smaller one can have";
}

TEST(DevicePeaks, TheSlowerOfBothBinds) {
    const auto task = [](double bytes, double flops) {
        Task one;
        one.bytes = bytes;
        one.flops = flops;
        return one;
    };
    const auto moving = roofline(task(4e6, 1e5), two_cores), computing = roofline(task(4e6, 1e7), two_cores);
    EXPECT_STREQ(moving->limit, "bytes");
    EXPECT_DOUBLE_EQ(moving->seconds, 20e-6);
    EXPECT_EQ(moving->rate, 200e9);
    EXPECT_STREQ(computing->limit, "flops");
    EXPECT_DOUBLE_EQ(computing->seconds, 100e-6);
    EXPECT_FALSE(roofline(Task(), two_cores));
    EXPECT_FALSE(roofline(task(1, 1), DevicePeaks()));
}

TEST(DevicePeaks, ADeviceOfItsOwnSaysItself) {
    const DevicePeaks device = find_peaks({{"bytes_per_second", 4.8e12}});
    EXPECT_EQ(device.bandwidth(1e3), 4.8e12);
    EXPECT_EQ(device.flops_per_second, 0);
    EXPECT_EQ(find_peaks(Json::object()).bandwidth(1), 0);
}

TEST(DevicePeaks, ADeviceMayBeFasterInSomePrecisions) {
    const DevicePeaks device = find_peaks({{"flops_per_second", 1e14}, {"flops_per_second_f16", 1e15}});
    const auto seconds = [&](const std::string& tolerance) {
        Task task;
        task.flops = 1e9;
        task.tolerance.of_class = tolerance;
        const std::optional<Roofline> floor = roofline(task, device);
        return floor ? floor->seconds : 0;
    };
    EXPECT_DOUBLE_EQ(seconds("f32"), 1e-5);
    EXPECT_DOUBLE_EQ(seconds("tf32"), 1e-5) << "of which it says nothing";
    EXPECT_EQ(seconds("bf16"), 0) << "there may be units for it of which it says nothing";
    EXPECT_DOUBLE_EQ(seconds("f16"), 1e-6);
}

TEST(DevicePeaks, WholeNumbersHaveInstructionsOfTheirOwn) {
    Task task;
    task.flops = 1e9;
    task.inputs = {{"a"}, {"b"}};
    EXPECT_TRUE(roofline(task, two_cores));
    for (TaskTensor& input : task.inputs) input.dtype = "i8";
    EXPECT_FALSE(roofline(task, two_cores));
}

TEST(DevicePeaks, LevelsAreTellableInAnyOrder) {
    const DevicePeaks told = find_peaks({{"bytes_per_second_within_1000000", 200e9},
                                         {"bytes_per_second_within_16000", 800e9},
                                         {"bytes_per_second_within_32000000", 20e9},
                                         {"cores", 2.0}});
    ASSERT_EQ(told.levels.size(), 3u);
    EXPECT_EQ(told.cores, 2);
    for (const double bytes : {1.0, 2e6, 1e9}) EXPECT_EQ(told.bandwidth(bytes), two_cores.bandwidth(bytes)) << bytes;
}

}  // namespace
}  // namespace hone
