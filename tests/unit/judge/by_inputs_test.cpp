// A program that is quick on one kind of inputs alone counts as slow as on the others.
#include "judge/timing/by_inputs.hpp"
#include <gtest/gtest.h>
#include <cmath>
#include "base/random.hpp"
#include "judge/timing/paired_measurement.hpp"

namespace hone {
namespace {

using enum Variant;

constexpr double usual_noise = 0.15;

struct Noisy {
    explicit Noisy(std::uint64_t seed) : random(seed) {}
    std::vector<PairOfKind> pairs;
    Random random;
    // Pairs of one kind around `middle`, in eight blocks that differ by `drift` at most, with a slow call in ten.
    void add(Variant kind, std::size_t n, double middle, double drift = 0) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t block = 8 * i / n;
            const double scatter = usual_noise * (random.uniform() + random.uniform() - 1),
                         of_block = drift * (static_cast<double>(block * 5 % 8) / 7 - 0.5);
            pairs.push_back({middle + scatter + of_block - (i % 10 == 3 ? 0.5 : 0), kind, block});
        }
    }
    KindsDiffer differ() const { return kinds_differ(ratios_by_kind(pairs)); }
    // all: ln(speedup) by blocks
    ByInputs by(double all = 1) const { return by_inputs({all, all - 0.1, all + 0.1}, pairs, 0.95); }
};

TEST(ByInputs, TheSlowestKindCounts) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Noisy sample(seed);
        sample.add(declared, 40, std::log(2.0));
        sample.add(strays, 30, std::log(2.0));
        sample.add(slabs, 32, std::log(0.9));
        const ByInputs by = sample.by();
        ASSERT_EQ(by.differ, KindsDiffer::clear);
        EXPECT_EQ(by.slowest, slabs);
        EXPECT_NEAR(by.log_speedup.estimate, std::log(0.9), 0.1);
    }
}

// The median of that kind is the plain one.
TEST(ByInputs, WhoIsQuickInFewerThanHalfOfAKindsCallsGainsNothing) {
    for (const std::size_t of_kind : {60u, 240u}) {
        int clear = 0;
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            Noisy sample(seed);
            for (const Variant kind : {strays, slabs, centred}) sample.add(kind, of_kind, 0);
            sample.add(declared, of_kind * 6 / 10, 0);
            sample.add(declared, of_kind * 4 / 10, std::log(2.0));
            clear += sample.differ() == KindsDiffer::clear;
            EXPECT_NE(sample.differ(), KindsDiffer::none);
            EXPECT_LT(sample.by().log_speedup.lower, 0);
        }
        if (of_kind > 100) EXPECT_GT(clear, 45);
    }
}

TEST(ByInputs, ScatterOnOneKindHidesNoDifference) {
    Noisy sample(4);
    for (const Variant kind : {strays, slabs}) sample.add(kind, 40, 0);
    for (int i = 0; i < 40; ++i) sample.pairs.push_back({i % 5 < 2 ? -1.1 : 0, centred, 0});
    sample.add(declared, 40, std::log(2.0));
    EXPECT_EQ(sample.differ(), KindsDiffer::clear);
    EXPECT_EQ(sample.by().slowest, centred);
}

// A difference of means of 0.05 and more is seen in one of six of these samples.
TEST(ByInputs, EqualKindsAreLeftTogether) {
    int perhaps = 0, clear = 0, notable = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Noisy sample(seed);
        for (const Variant kind : {declared, strays, slabs, centred}) sample.add(kind, 16, 0.7);
        const std::vector<RatioOfKind> kinds = ratios_by_kind(sample.pairs);
        double least = kinds[0].mean, most = least;
        for (const RatioOfKind& one : kinds) least = std::min(least, one.mean), most = std::max(most, one.mean);
        notable += most - least > 0.05;
        perhaps += sample.differ() == KindsDiffer::perhaps, clear += sample.differ() == KindsDiffer::clear;
    }
    EXPECT_GT(notable, 400);
    EXPECT_LT(clear, 3);
    EXPECT_LT(perhaps, 600) << "one in five";
}

TEST(ByInputs, WhatDriftsFromBlockToBlockIsInTheInterval) {
    Noisy calm(1), drifting(1);
    for (Noisy* sample : {&calm, &drifting}) {
        sample->add(slabs, 64, 0, sample == &drifting ? 1 : 0);
        sample->add(declared, 64, 3, sample == &drifting ? 1 : 0);
    }
    const auto width = [](const Noisy& sample) {
        const Interval interval = sample.by().log_speedup;
        return interval.upper - interval.lower;
    };
    EXPECT_GT(width(drifting), 3 * width(calm));
    for (PairOfKind& pair : calm.pairs) pair.block /= 4;
    EXPECT_LT(width(calm), 0.2) << "two blocks: by its own error";
}

// Blocks differ by chance, calls too, and three kinds of four are equally slow: the slowest is chosen among them.
TEST(ByInputs, TheIntervalHoldsTheTruthAsOftenAsItSays) {
    const double slow = 0, fast = std::log(2.0);
    int held = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        Noisy sample(seed);
        double of_block[8];
        for (double& one : of_block) one = 0.1 * (sample.random.uniform() + sample.random.uniform() - 1);
        for (const Variant kind : {declared, strays, slabs, centred})
            for (std::size_t i = 0; i < 48; ++i) {
                const double scatter = usual_noise * (sample.random.uniform() + sample.random.uniform() - 1);
                sample.pairs.push_back({(kind == declared ? fast : slow) + scatter + of_block[i / 6], kind, i / 6});
            }
        const ByInputs by = sample.by();
        ASSERT_EQ(by.differ, KindsDiffer::clear);
        held += by.log_speedup.lower <= slow && slow <= by.log_speedup.upper;
    }
    EXPECT_GE(held, 1900) << "95 % of 2000";
}

// Blocks of eight pairs of all kinds lose their slowest one, and with it what a quarter of one kind's calls slept.
TEST(ByInputs, SleepingDoesNotHideAQuickKind) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Noisy sample(seed);
        sample.add(strays, 64, 0);
        sample.add(declared, 48, std::log(2.0));
        for (int i = 0; i < 16; ++i) sample.pairs.push_back({-4, declared, 0});
        const Interval by = sample.by(0.4).log_speedup;
        EXPECT_LT(by.lower, 0);
        EXPECT_LT(by.estimate, 0.3) << "no more than the kinds' own means";
    }
}

// Blocks of four pairs lose none, so a few very quick calls count there; of a kind they are trimmed.
TEST(ByInputs, AFewQuickCallsOfAKindAreTrimmed) {
    Noisy sample(5);
    sample.add(strays, 64, 0);
    sample.add(declared, 57, 0);
    for (int i = 0; i < 7; ++i) sample.pairs.push_back({2.5, declared, static_cast<std::size_t>(i)});
    EXPECT_LT(sample.by(0.14).log_speedup.estimate, 0.05);
}

TEST(ByInputs, WhereKindsAgreeTheIntervalOfAllStays) {
    Noisy sample(6);
    for (const Variant kind : {strays, declared}) sample.add(kind, 64, 1);
    EXPECT_EQ(sample.differ(), KindsDiffer::none);
    EXPECT_EQ(sample.by().log_speedup.estimate, 1);
    EXPECT_EQ(sample.by().log_speedup.lower, 0.9);
    EXPECT_EQ(sample.by().log_speedup.upper, 1.1);
}

// Long calls leave time for few pairs. What cannot be told may not be gained by.
TEST(ByInputs, OfFewPairsTheIntervalReachesDownToTheSlowestKinds) {
    Noisy two_each(2), one_each(3);
    two_each.pairs = {{0.7, declared, 0}, {0.69, declared, 1}, {0.02, slabs, 0}, {-0.01, slabs, 1}};
    EXPECT_EQ(two_each.differ(), KindsDiffer::perhaps);
    EXPECT_EQ(two_each.by(0.35).log_speedup.estimate, 0.35) << "as of all pairs";
    EXPECT_EQ(two_each.by(0.35).log_speedup.upper, 0.35 + 0.1);
    EXPECT_LT(two_each.by(0.35).log_speedup.lower, 0);
    one_each.pairs = {{0.7, declared, 0}, {0.02, slabs, 0}};
    EXPECT_EQ(one_each.differ(), KindsDiffer::perhaps);
    EXPECT_EQ(one_each.by(0.35).log_speedup.lower, -no_reading);
}

// Twice as fast on three kinds, plain on the fourth, with noise of 5 and 10 % a pair.
TEST(ByInputs, OfFiveOrSixNoisyPairsNothingIsGained) {
    for (const double noise : {0.05, 0.1}) {
        for (const std::size_t n : {5u, 6u}) {
            int gained = 0;
            for (std::uint64_t seed = 0; seed < 500; ++seed) {
                Noisy sample(seed);
                std::vector<double> all;
                for (std::size_t i = 0; i < n; ++i) {
                    const Variant kind = i == 1 ? slabs : i % 2 ? strays : declared;
                    const double scatter = noise * 2.45 * (sample.random.uniform() + sample.random.uniform() - 1);
                    all.push_back((kind == slabs ? 0 : std::log(2.0)) + scatter);
                    sample.pairs.push_back({all.back(), kind, i});
                }
                gained += by_inputs(mean_interval(all, 0.95), sample.pairs, 0.95).log_speedup.lower > 0;
            }
            EXPECT_LT(gained, 25) << "5 % of 500, " << n << " pairs, noise " << noise;
        }
    }
}

TEST(ByInputs, ASmallDifferenceOrOneKindTellsNothing) {
    Noisy small(3), one(4);
    small.add(declared, 4000, 0.04);
    small.add(slabs, 4000, 0);
    EXPECT_EQ(small.differ(), KindsDiffer::none) << "surely there, and less than 5 %";
    one.add(declared, 40, 0);
    EXPECT_EQ(one.differ(), KindsDiffer::none);
    EXPECT_EQ(one.by().log_speedup.estimate, 1) << "as of all pairs";
    EXPECT_EQ(kinds_differ({}), KindsDiffer::none);
}

TEST(Measurement, ABaselineThatIsSlowInNearlyAllOfItsCallsWasSlowedDown) {
    const auto slowed_down = [](std::vector<double> baseline) {
        Measurement m;
        m.counted.assign(baseline.size(), true);
        m.baseline = std::move(baseline);
        return is_slowed_down(m);
    };
    EXPECT_TRUE(slowed_down({0.3e-3, 9e-3, 15e-3, 12e-3, 0.5e-3}));
    EXPECT_FALSE(slowed_down({0.3e-3, 0.5e-3, 15e-3, 0.52e-3, 0.4e-3})) << "one slow call";
    EXPECT_FALSE(slowed_down({10e-6, 45e-6, 46e-6})) << "short calls vary by that anyway";
}

}  // namespace
}  // namespace hone
