// A program that is quick on one kind of inputs alone counts as slow as on the others.
#include "judge/timing/by_inputs.hpp"
#include <gtest/gtest.h>
#include <cmath>
#include "base/random.hpp"

namespace hone {
namespace {

using enum Variant;

struct Sample {
    std::vector<double> d;
    std::vector<Variant> kinds;
    Random random{7};
    // pairs of one kind, around `middle`, with noise of 2 % and a slow call in ten
    void add(Variant kind, int pairs, double middle) {
        for (int i = 0; i < pairs; ++i) {
            const double noise = 0.02 * (random.uniform() + random.uniform() - 1);
            d.push_back(middle + noise - (i % 10 == 3 ? 0.5 : 0));
            kinds.push_back(kind);
        }
    }
    std::optional<RatioOfKind> slowest() const { return clearly_slowest(ratios_of_kinds(d, kinds)); }
};

TEST(ByInputs, TheSlowestKindIsFound) {
    Sample sample;
    sample.add(declared, 40, std::log(2.0));
    sample.add(strays, 30, std::log(2.0));
    sample.add(slabs, 20, std::log(0.9));
    const auto slowest = sample.slowest();
    ASSERT_TRUE(slowest);
    EXPECT_EQ(slowest->kind, slabs);
    EXPECT_EQ(slowest->pairs, 20u);
    const Interval interval = interval_of(*slowest, 0.95);
    EXPECT_NEAR(interval.estimate, std::log(0.9), 0.01);
    EXPECT_LT(interval.lower, std::log(0.9));
    EXPECT_GT(interval.upper, std::log(0.9));
    EXPECT_LT(interval.upper - interval.lower, 0.03);
}

TEST(ByInputs, EqualKindsAreLeftTogether) {
    for (int i = 0; i < 20; ++i) {
        Sample sample;
        for (int k = 0; k < i; ++k) sample.random.uniform();
        for (const Variant kind : {declared, strays, slabs}) sample.add(kind, 30, 0.7);
        EXPECT_FALSE(sample.slowest());
    }
}

TEST(ByInputs, FewPairsOrASmallDifferenceTellNothing) {
    Sample few, small;
    few.add(declared, 40, 1);
    few.add(slabs, 7, 0);
    EXPECT_FALSE(few.slowest());
    small.add(declared, 4000, 0.04);
    small.add(slabs, 4000, 0);
    EXPECT_FALSE(small.slowest()) << "surely there, and less than 5 %";
    EXPECT_FALSE(clearly_slowest({}));
}

}  // namespace
}  // namespace hone
