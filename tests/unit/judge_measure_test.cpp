#include <gtest/gtest.h>
#include <cmath>
#include "base/random.hpp"
#include "hone/abi.h"
#include "judge/inputs.hpp"
#include "judge/measure.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

double normal(Random& random) { return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform()); }

// The share of 2000 measurements of a true difference of `truth` whose interval, at the moment of stopping, misses it.
double missed(double truth, double noise, double outliers) {
    Random random(11);
    int misses = 0;
    for (int run = 0; run < 2000; ++run) {
        Sequential sequential({0.01, 0.95, 128});
        while (!sequential.done()) sequential.add(truth + noise * normal(random) * (random.uniform() < outliers ? 8 : 1));
        const Interval found = sequential.interval();
        misses += found.lower > truth || found.upper < truth;
    }
    return misses / 2000.0;
}

TEST(Measure, PeekingDoesNotLowerTheCoverage) {
    EXPECT_LE(missed(0, 0.03, 0), 0.05);
    EXPECT_LE(missed(0.03, 0.03, 0), 0.05);
    EXPECT_LE(missed(0, 0.03, 0.05), 0.05);  // one sample in twenty was disturbed
}

TEST(Calm, ReadingsOfABusyMachineAreLeftOut) {
    Calm calm;
    EXPECT_TRUE(calm.accept(90e-6));
    EXPECT_TRUE(calm.accept(70e-6));
    EXPECT_FALSE(calm.accept(150e-6));
    for (int i = 0; i < 250; ++i) EXPECT_FALSE(calm.accept(5e-3));
    EXPECT_TRUE(calm.accept(90e-6));
}

TEST(Calm, AMachineThatBecameSlowerIsBelievedInTheEnd) {
    Calm calm;
    EXPECT_TRUE(calm.accept(1));
    for (int i = 0; i < 256; ++i) EXPECT_FALSE(calm.accept(3));
    EXPECT_TRUE(calm.accept(3));
}

TEST(Measure, APlantedDifferenceIsFound) {
    Random random(12);
    int found = 0;
    for (int run = 0; run < 200; ++run) {
        Sequential sequential({0.01, 0.95, 128});
        while (!sequential.done()) sequential.add(0.03 + 0.03 * normal(random));
        found += sequential.interval().lower > 0;
    }
    EXPECT_GE(found, 195);
}

TEST(Measure, StopsEarlyWhereNothingIsLeftToLearn) {
    Sequential exact({0.05, 0.95, 128}), slow({0.001, 0.95, 128});
    Random random(13);
    while (!exact.done()) exact.add(0.7);
    while (!slow.done()) slow.add(-3 + 0.05 * normal(random));
    EXPECT_EQ(exact.pairs(), 8u);
    EXPECT_EQ(slow.pairs(), 8u);
}

TEST(Measure, TooFewPairsGiveNoInterval) {
    const Interval found = trimmed_interval({0.1, 0.2}, 0.95);
    EXPECT_EQ(found.lower, -INFINITY);
    EXPECT_EQ(found.upper, INFINITY);
}

}  // namespace
}  // namespace hone
