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
    std::optional<RatioOfKind> slowest() const { return clearly_slowest(ratios_of_kinds(pairs)); }
};

TEST(ByInputs, TheSlowestKindIsFound) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Noisy sample(seed);
        sample.add(declared, 40, std::log(2.0));
        sample.add(strays, 30, std::log(2.0));
        sample.add(slabs, 32, std::log(0.9));
        const auto slowest = sample.slowest();
        ASSERT_TRUE(slowest);
        EXPECT_EQ(slowest->kind, slabs);
        EXPECT_EQ(slowest->pairs, 32u);
        EXPECT_NEAR(interval_of(*slowest, sample.pairs, 0.95).estimate, std::log(0.9), 0.1);
    }
}

// A difference of medians of 0.05 and more is seen in one of four of these samples.
TEST(ByInputs, EqualKindsAreLeftTogether) {
    int told = 0, notable = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Noisy sample(seed);
        for (const Variant kind : {declared, strays, slabs, centred}) sample.add(kind, 16, 0.7);
        const std::vector<RatioOfKind> ratios = ratios_of_kinds(sample.pairs);
        double least = ratios[0].middle, most = least;
        for (const RatioOfKind& one : ratios) least = std::min(least, one.middle), most = std::max(most, one.middle);
        notable += most - least > 0.05;
        told += sample.slowest().has_value();
    }
    EXPECT_GT(notable, 700);
    EXPECT_LT(told, 6);
}

TEST(ByInputs, WhatDriftsFromBlockToBlockIsInTheInterval) {
    Noisy calm(1), drifting(1);
    for (Noisy* sample : {&calm, &drifting}) sample->add(slabs, 64, 0, sample == &drifting ? 1 : 0);
    const auto width = [](const Noisy& sample) {
        const Interval interval = interval_of(ratios_of_kinds(sample.pairs).at(0), sample.pairs, 0.95);
        return interval.upper - interval.lower;
    };
    EXPECT_GT(width(drifting), 3 * width(calm));
    for (PairOfKind& pair : calm.pairs) pair.block /= 4;
    EXPECT_LT(width(calm), 0.2) << "two blocks: by its own error";
}

// Blocks differ by chance, calls too, and three kinds of four are equally slow: the slowest is chosen among them.
TEST(ByInputs, TheIntervalHoldsTheTruthAsOftenAsItSays) {
    const double slow = 0, fast = std::log(2.0);
    int told = 0, held = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        Noisy sample(seed);
        double of_block[8];
        for (double& one : of_block) one = 0.1 * (sample.random.uniform() + sample.random.uniform() - 1);
        for (const Variant kind : {declared, strays, slabs, centred})
            for (std::size_t i = 0; i < 48; ++i) {
                const double scatter = usual_noise * (sample.random.uniform() + sample.random.uniform() - 1);
                sample.pairs.push_back({(kind == declared ? fast : slow) + scatter + of_block[i / 6], kind, i / 6});
            }
        const auto slowest = sample.slowest();
        if (!slowest) continue;
        ++told;
        const Interval interval = interval_of(*slowest, sample.pairs, 0.95);
        held += interval.lower <= slow && slow <= interval.upper;
    }
    EXPECT_EQ(told, 2000);
    EXPECT_GE(held, 1900) << "95 % of 2000";
}

TEST(ByInputs, FewPairsOrASmallDifferenceTellNothing) {
    Noisy few(2), small(3);
    few.add(declared, 40, 1);
    few.add(slabs, 15, 0);
    EXPECT_FALSE(few.slowest());
    small.add(declared, 4000, 0.04);
    small.add(slabs, 4000, 0);
    EXPECT_FALSE(small.slowest()) << "surely there, and less than 5 %";
    EXPECT_FALSE(clearly_slowest({}));
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
