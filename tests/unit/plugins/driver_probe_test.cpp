// What verifier.cuda says of a driver when it has tried out what its walls rest on.
#include "verifier_cuda/runner/driver_probe.hpp"
#include <gtest/gtest.h>

namespace hone::cuda {
namespace {

const std::vector<float> hits(100, 300.f), misses(100, 700.f);

std::vector<float> mixed(std::size_t there) {
    std::vector<float> clocks = misses;
    std::fill_n(clocks.begin(), there, 310.f);
    return clocks;
}

DriverProbe good() {
    DriverProbe probe;
    probe.hand_over = 3e-4;
    probe.slice = 2.4e-3;
    probe.stores_fault = probe.inputs_last = true;
    probe.shared_kept = 0.9;
    probe.flush = FlushFinding(hits, misses, mixed(2));
    return probe;
}

TEST(DriverProbe, ADriverThatKeepsWhatItNeverPromised) {
    EXPECT_EQ(good().weak(), "");
    EXPECT_DOUBLE_EQ(good().flush->left, 0.02);
    DriverProbe no_slices = good();
    no_slices.slice = 0;      // a kernel was not interrupted at all
    no_slices.flush.reset();  // and the timer has no flush
    EXPECT_EQ(no_slices.weak(), "");
}

TEST(DriverProbe, SaysWhatDoesNotHold) {
    DriverProbe probe = good();
    probe.stores_fault = probe.inputs_last = false;
    EXPECT_EQ(probe.weak(), "a store to an input does not end its program; a program can change its inputs");
    probe = good();
    probe.slice = 1e-3;
    EXPECT_EQ(probe.weak(), "kernels are interrupted after 1.00 ms, which the clock does not expect");
    probe = good();
    probe.flush = FlushFinding(hits, misses, mixed(40));
    EXPECT_EQ(probe.weak(), "the flush leaves 40 % of the lines that a kernel keeps");
    probe.flush = FlushFinding(hits, hits, hits);  // nothing was ever flushed, or loads cannot be told apart
    EXPECT_EQ(probe.weak(), "whether the flush works cannot be told");
    probe = good();
    probe.shared_left = 0.01;
    EXPECT_EQ(probe.weak(), "shared memory of one call is there in the next");
    probe.shared_kept = 0.1;
    EXPECT_EQ(probe.weak(), "whether shared memory is cleared between calls cannot be told");
}

}  // namespace
}  // namespace hone::cuda
