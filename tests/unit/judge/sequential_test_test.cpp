#include "judge/timing/sequential_test.hpp"
#include <gtest/gtest.h>
#include <cmath>
#include "base/random.hpp"
#include "hone/abi.h"
#include "judge/correctness/inputs.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

double normal(Random& random) {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
}

Pair pair_of(double d) { return {1, std::exp(d)}; }

// The share of 2000 measurements of a true difference of `truth` whose interval, at the moment of stopping, misses it.
// wander: deviation of what all pairs of a block have in common.
double missed(double truth, double noise, double wander, double disturbed, StopRule rule = {0.02, 0.95, 256}) {
    Random random(11);
    int misses = 0;
    for (int run = 0; run < 2000; ++run) {
        SequentialTest sequential(rule);
        double block = 0;
        while (!sequential.done()) {
            if (sequential.begins_block()) block = wander * normal(random);
            Pair pair = pair_of(truth + block + noise * normal(random));
            if (random.uniform() < disturbed) (random.below(2) ? pair.candidate : pair.baseline) *= 20;
            sequential.add(pair);
        }
        const Interval found = sequential.interval();
        misses += found.lower > truth || found.upper < truth;
    }
    return misses / 2000.0;
}

TEST(Measure, IntervalsHoldTheTruthAsOftenAsTheySay) {
    for (const double noise : {0.02, 0.05, 0.1})
        for (const double wander : {0.0, 0.02})
            for (const double disturbed : {0.0, 0.1}) {
                const double share = missed(0.03, noise, wander, disturbed);
                EXPECT_LE(share, 0.06) << noise << " " << wander << " " << disturbed;
                EXPECT_GE(share, 0.02) << "wider than they need to be: " << noise << " " << wander << " " << disturbed;
            }
}

TEST(Measure, IntervalsOfADevicesShorterBlocksHoldTheTruthAsOften) {
    for (const int most : {64, 256})
        for (const double noise : {0.02, 0.04, 0.1}) {
            const double share =
                missed(0.03, noise, 0, 0.05, {0.02, 0.95, most, false, disturbed_on_host, blocks_on_device});
            EXPECT_LE(share, 0.06) << most << " " << noise;
            EXPECT_GE(share, 0.015) << "wider than they need to be: " << most << " " << noise;
        }
}

TEST(Measure, APlantedDifferenceIsFound) {
    Random random(12);
    int found = 0;
    for (int run = 0; run < 200; ++run) {
        SequentialTest sequential({0.01, 0.95, 256});
        while (!sequential.done()) sequential.add(pair_of(0.03 + 0.03 * normal(random)));
        found += sequential.interval().lower > 0;
    }
    EXPECT_GE(found, 195);
}

int pairs_until_done(SequentialTest sequential, double d, double noise) {
    Random random(13);
    int pairs = 0;
    for (; !sequential.done(); ++pairs) sequential.add(pair_of(d + noise * normal(random)));
    return pairs;
}

TEST(Measure, StopsEarlyWhereNothingIsLeftToLearn) {
    EXPECT_EQ(pairs_until_done(SequentialTest({0.05, 0.95, 256}), 0.7, 0), 64);        // eight blocks of eight
    EXPECT_EQ(pairs_until_done(SequentialTest({0.001, 0.95, 256}), -3, 0.05), 32);     // far slower at a glance
    EXPECT_EQ(pairs_until_done(SequentialTest({0.001, 0.95, 256}), -0.6, 0.05), 256);  // not so far
    EXPECT_EQ(pairs_until_done(SequentialTest({0.05, 0.95, 256}), -0.6, 0.01), 64);
    EXPECT_EQ(pairs_until_done(SequentialTest({0.001, 0.95, 256}), 0, 0.05), 256);
}

TEST(Measure, ABlockMayEndEarly) {
    SequentialTest sequential({0.01, 0.95, 256, true});
    for (int process = 0; process < 8; ++process) {
        EXPECT_TRUE(sequential.begins_block());
        sequential.add(pair_of(0.1));
        EXPECT_FALSE(sequential.done());
        sequential.add(pair_of(0.1));
        EXPECT_EQ(sequential.in_block(), 2u);
        sequential.begin_block();
    }
    EXPECT_TRUE(sequential.done()) << "eight blocks that agree";
    EXPECT_NEAR(sequential.interval().estimate, 0.1, 1e-9);
}

TEST(Measure, TooFewPairsGiveNoInterval) {
    SequentialTest sequential({0.01, 0.95, 256});
    sequential.add(pair_of(0.1));
    sequential.add(pair_of(0.2));
    EXPECT_EQ(sequential.interval().lower, -INFINITY);
    EXPECT_EQ(sequential.interval().upper, INFINITY);
}

TEST(CalmPairs, DisturbedReadingsOfEitherSideAreLeftOut) {
    const std::vector<Pair> pairs = {{70e-6, 90e-6}, {75e-6, 5e-3}, {5e-3, 95e-6}, {80e-6, 99e-6}};
    EXPECT_EQ(undisturbed_pairs(pairs, 1, no_reading), (std::vector<bool>{true, false, false, true}));
    EXPECT_EQ(undisturbed_pairs(pairs, 1, 1e-6), (std::vector<bool>{false, false, false, false}))
        << "the baseline once took 1 us";
}

// A team of threads whose partner or whose empty program has no core is slow in each call, and none stands out.
TEST(CalmPairs, CallsOfATeamThatWaitsForACoreDoNotCount) {
    EXPECT_FALSE(has_waited(50e-6, 26e-6)) << "less than 30 us";
    EXPECT_FALSE(has_waited(10e-3, 4.9e-3)) << "less than the rest";
    EXPECT_TRUE(has_waited(50e-6, 35e-6));
    EXPECT_TRUE(has_waited(10e-3, 5.1e-3));
    std::vector<Pair> pairs(32, {50e-6, 13e-3});
    EXPECT_EQ(undisturbed_pairs(pairs, 8, no_reading), std::vector<bool>(32, true));
    for (Pair& pair : pairs) pair.baseline_waited = true;
    EXPECT_EQ(undisturbed_pairs(pairs, 8, no_reading), std::vector<bool>(32, false));
    SequentialTest in_fresh_processes({0.02, 0.95, 32, true});
    for (const Pair& pair : pairs) in_fresh_processes.add(pair);
    EXPECT_EQ(in_fresh_processes.counted(), std::vector<bool>(32, false));
    for (Pair& pair : pairs) pair = {3 * pair.candidate, pair.candidate, true, true, false};
    EXPECT_EQ(undisturbed_pairs(pairs, 8, no_reading), std::vector<bool>(32, true)) << "a candidate's own waits count";
}

TEST(CalmPairs, OnADeviceAVisitOfAnotherContextIsADisturbanceOfLongCallsToo) {
    const std::vector<Pair> pairs = {
        {1.2e-3, 1e-3}, {1.2e-3, 1.3e-3}, {1.2e-3, 1.1e-3}, {1.55e-3, 1e-3}, {1.2e-3, 1e-3}};
    EXPECT_EQ(undisturbed_pairs(pairs, 1, no_reading), (std::vector<bool>{true, true, true, true, true}));
    EXPECT_EQ(undisturbed_pairs(pairs, 1, no_reading, disturbed_on_device),
              (std::vector<bool>{true, false, true, false, true}));
    const std::vector<Pair> brief = {{30e-6, 40e-6}, {30e-6, 58e-6}};
    EXPECT_EQ(undisturbed_pairs(brief, 1, no_reading, disturbed_on_device), (std::vector<bool>{true, true}))
        << "short calls vary by so much";
}

TEST(CalmPairs, ACandidateCannotDisturbItselfIntoBetterTimes) {
    std::vector<Pair> pairs;
    for (int i = 0; i < 32; ++i) pairs.push_back({i % 2 ? 1.0 : 3.0, 1});
    EXPECT_EQ(undisturbed_pairs(pairs, 8, no_reading), std::vector<bool>(32, true));
    for (Pair& pair : pairs) pair.baseline = pair.candidate;  // then it is the machine's doing
    EXPECT_EQ(undisturbed_pairs(pairs, 8, no_reading)[0], false);
}

TEST(CalmPairs, OneLuckyCallDoesNotMakeTheOthersSlow) {
    std::vector<Pair> pairs(100, {1, 1});
    pairs[50].candidate = 0.4;
    EXPECT_EQ(undisturbed_pairs(pairs, 4, no_reading), std::vector<bool>(100, true));
}

TEST(CalmPairs, BurstsThatMeetOneSideMoreOftenAreNotItsDoing) {
    std::vector<Pair> pairs(256, {1, 1});
    for (const std::size_t burst : {0u, 64u, 128u})  // whole blocks of eight
        for (std::size_t i = burst; i < burst + 8; ++i) pairs[i].candidate = 5;
    EXPECT_EQ(undisturbed_pairs(pairs, 8, no_reading)[0], false);
    EXPECT_EQ(undisturbed_pairs(pairs, 1, no_reading)[0], true) << "as single events they are far more than none";
}

TEST(CalmPairs, NobodyBunchesMoreThanOneCallOfEightOutOfSight) {
    std::vector<Pair> pairs(32, {1, 1});
    for (std::size_t i = 8; i < 16; ++i) pairs[i].candidate = 5;  // two blocks of four
    EXPECT_EQ(undisturbed_pairs(pairs, 4, no_reading), std::vector<bool>(32, true));
}

TEST(CalmPairs, BesideACalmBaselineOneCallOfEightIsTheMachinesDoing) {
    for (const std::size_t n : {8u, 16u, 32u}) {
        std::vector<Pair> pairs(n, {1, 1});
        for (std::size_t i = 0; i < n / 8; ++i) pairs[8 * i].candidate = 5;
        EXPECT_EQ(undisturbed_pairs(pairs, 4, no_reading)[0], false) << n;
        pairs[n - 1].candidate = 5;
        EXPECT_EQ(undisturbed_pairs(pairs, 4, no_reading), std::vector<bool>(n, true)) << n;
    }
}

TEST(CalmPairs, FewSlowCallsAreItsDoingWhereTheyLastLong) {
    std::vector<Pair> pairs(17, {0.2e-3, 0.2e-3});
    for (const std::size_t i : {0u, 2u, 5u, 7u, 11u, 12u, 16u}) pairs[i].candidate = 20e-3;
    pairs[3].baseline = pairs[9].baseline = 0.5e-3;
    std::vector<bool> all_but_two(17, true);
    all_but_two[3] = all_but_two[9] = false;
    EXPECT_EQ(undisturbed_pairs(pairs, 1, no_reading), all_but_two);
    pairs[3].baseline = pairs[9].baseline = 20e-3;  // then the machine has such bursts
    EXPECT_FALSE(undisturbed_pairs(pairs, 1, no_reading)[0]);
}

TEST(Measure, WhatIsFarSlowerIsToldApartAtAGlanceAsOftenAsItSays) {
    for (const double truth : {-0.6, -0.7, -0.8})
        for (const double noise : {0.02, 0.1}) EXPECT_LE(missed(truth, noise, 0, 0), 0.065) << truth << " " << noise;
}

TEST(Measure, BlocksOfTheirOwnProcessesAreNotMixed) {
    const auto half_width = [](bool fresh) {
        SequentialTest sequential({0.001, 0.95, 512, fresh});
        for (int i = 0; i < 64; ++i) sequential.add(pair_of(i / 16 % 2 ? 0.1 : 0.0));  // four blocks
        const Interval found = sequential.interval();
        return (found.upper - found.lower) / 2;
    };
    EXPECT_GT(half_width(true), 0.1) << "four values, two of each kind";
    EXPECT_LT(half_width(false), 0.06);
}

// Eight processes of four pairs; in one, every call of the candidate sleeps.
TEST(CalmPairs, ASlowProcessIsNotLetGoWhole) {
    SequentialTest sequential({0.001, 0.95, 512, true});
    for (int process = 0; process < 8; ++process) {
        if (process > 0) sequential.begin_block();
        for (int i = 0; i < (process == 5 ? 2 : 4); ++i) sequential.add({process == 5 ? 60e-3 : 1e-4, 4e-4});
    }
    const std::vector<bool> counted = sequential.counted();
    EXPECT_EQ(std::count(counted.begin(), counted.end(), true), 30);
    EXPECT_LT(sequential.interval().lower, 0);
}

// The sleeps leave a processor so cold that the baseline behind them is slow too.
TEST(CalmPairs, ASlowProcessCountsThoughItSlowsTheBaselineBehindIt) {
    SequentialTest sequential({0.001, 0.95, 512, true});
    for (int process = 0; process < 8; ++process) {
        if (process > 0) sequential.begin_block();
        for (int i = 0; i < (process == 5 ? 2 : 4); ++i)
            sequential.add(process == 5 ? Pair{60e-3, 2e-3} : Pair{1e-4, 4e-4});
    }
    const std::vector<bool> counted = sequential.counted();
    EXPECT_EQ(std::count(counted.begin(), counted.end(), true), 30);
}

TEST(QuickReading, ATenthOfTheCallsWereFaster) {
    std::vector<double> readings;
    for (int i = 40; i > 0; --i) readings.push_back(i);
    EXPECT_EQ(undisturbed_reading(readings), 5);
    EXPECT_EQ(undisturbed_reading({3, 2}), 2);
    EXPECT_EQ(undisturbed_reading({}), no_reading);
}

}  // namespace
}  // namespace hone
