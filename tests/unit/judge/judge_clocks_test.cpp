// Two clocks over the same calls: what an honest pair of them looks like, and what a moved one does.
#include <gtest/gtest.h>
#include <cmath>
#include "judge/timing/clocks.hpp"

namespace hone {
namespace {

constexpr double tolerance = 3.5e-6;

// Calls of 30 us: gaps of 4 us with some noise on both sides; of every `period` calls of the candidate, the first
// `forged` tell `less`.
Clocks clocks_of(int calls, int forged, int period, double less) {
    Clocks clocks;
    for (int i = 0; i < calls; ++i) {
        const double noise = 1e-6 * (i % 3 - 1);
        clocks.add(0, {34e-6, 4e-6 + noise + (i % period < forged ? less : 0), tolerance});
        clocks.add(1, {34e-6, 4e-6 - noise, tolerance});
    }
    return clocks;
}

TEST(Clocks, HonestOnesAgreeThoughTheyDiffer) {
    const Clocks clocks = clocks_of(64, 0, 1, 0);
    EXPECT_FALSE(clocks.doubtful());
    EXPECT_FALSE(clocks.forged(0, "s"));
    EXPECT_FALSE(clocks.without_independent());
}

TEST(Clocks, LessThanTheSlackIsAllThatCanBeGained) {
    EXPECT_FALSE(clocks_of(64, 1, 1, 3e-6).doubtful());
    EXPECT_TRUE(clocks_of(64, 1, 1, 4e-6).doubtful());
    EXPECT_FALSE(clocks_of(64, 1, 1, 4e-6).forged(0, "s"));
    EXPECT_TRUE(clocks_of(64, 2, 5, 11e-6).doubtful());  // the mean counts, as for the score
}

TEST(Clocks, FewCallsFarOffMakeDoubt) {
    EXPECT_TRUE(clocks_of(64, 1, 5, 28e-6).doubtful());
    EXPECT_FALSE(clocks_of(64, 1, 32, 28e-6).doubtful());  // a hiccup of the host
    EXPECT_FALSE(Clocks::fit({34e-6, 32e-6, tolerance}));  // and its pair is left out
    EXPECT_TRUE(Clocks::fit({34e-6, 10e-6, tolerance}));
}

TEST(Clocks, CallsFarOffOnBothSidesAreTheMachinesDoing) {
    // of the candidate; of the baseline one call of five is far off
    const auto clocks_of_a_busy_machine = [](int period) {
        Clocks clocks;
        for (int i = 0; i < 60; ++i) {
            clocks.add(0, {200e-6, i % period == 0 ? 170e-6 : 4e-6, tolerance});
            clocks.add(1, {200e-6, i % 5 == 1 ? 170e-6 : 4e-6, tolerance});
        }
        return clocks;
    };
    EXPECT_FALSE(clocks_of_a_busy_machine(4).doubtful());
    EXPECT_TRUE(clocks_of_a_busy_machine(3).doubtful());
    EXPECT_FALSE(clocks_of_a_busy_machine(60).doubtful()) << "none of its own, while the other side is disturbed";
    for (const int period : {3, 4, 5, 60})
        EXPECT_FALSE(clocks_of_a_busy_machine(period).forged(0, "s")) << period << ": visits are no forgery";
}

TEST(Clocks, ACandidateIsHeldToTheSlackOfItsOwnLength) {
    const auto clocks_beside_a_long_call = [](double less) {
        Clocks clocks;
        for (int i = 0; i < 64; ++i) {
            clocks.add(0, {34e-6, 4e-6 + less, tolerance});
            clocks.add(1, {1.2e-3, 4e-6, tolerance + 6e-6});
        }
        return clocks;
    };
    EXPECT_FALSE(clocks_beside_a_long_call(3e-6).doubtful());
    EXPECT_TRUE(clocks_beside_a_long_call(9e-6).doubtful()) << "1.4 times as fast for nothing";
    EXPECT_FALSE(clocks_beside_a_long_call(-9e-6).doubtful()) << "the long call's clocks may differ by that";
}

TEST(Clocks, OneCallCannotMakeUpForOthers) {
    Clocks clocks;
    for (int i = 0; i < 64; ++i) {
        clocks.add(0, {34e-6, i % 9 == 0 ? -80e-6 : 14e-6, tolerance});  // that call is then left out as disturbed, too
        clocks.add(1, {34e-6, 4e-6, tolerance});
    }
    EXPECT_TRUE(clocks.doubtful());
}

TEST(Clocks, WhoLeavesHalfOfItsCallsToTheWitnessIsHeldToTheOthers) {
    for (const double less : {5 * tolerance, 3.99 * tolerance - 4e-6}) {
        Clocks clocks;
        for (int i = 0; i < 128; ++i) {
            if (i % 2) clocks.add(0, {0, std::nan(""), 0});
            else clocks.add(0, {34e-6, 4e-6 + less, tolerance});
            clocks.add(1, {34e-6, 4e-6, tolerance});
        }
        EXPECT_TRUE(clocks.doubtful()) << less;
    }
}

TEST(Clocks, AClockThatIsFarOffWasMoved) {
    const auto failure = clocks_of(64, 1, 1, 28e-6).forged(0, "s");
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->verdict, Verdict::REWARD_HACK);
    EXPECT_EQ(failure->reason,
              "the clock in its own process was moved: the bench's, over the same calls, shows 32 us more");
    EXPECT_EQ(failure->facts.at("clock_calls"), 64);
    EXPECT_TRUE(clocks_of(64, 1, 1, 28e-6).doubtful());
    EXPECT_FALSE(clocks_of(64, 1, 1, 28e-6).forged(1, "s"));
}

TEST(Clocks, ACandidateThatWasTimedByItsWitnessAloneIsNoDoubt) {
    Clocks clocks;
    for (int i = 0; i < 64; ++i) {
        clocks.add(0, {0, std::nan(""), 0});
        clocks.add(1, {34e-6, 5e-6, tolerance});
    }
    EXPECT_FALSE(clocks.doubtful());
    clocks.add(0, {5e-3, 3e-6, tolerance});  // one that no other context interrupted
    for (int i = 0; i < 2; ++i) clocks.add(1, {200e-6, 170e-6, tolerance});
    EXPECT_FALSE(clocks.doubtful()) << "two calls of the other side that were disturbed are not more than one of eight";
}

TEST(Clocks, ASteadyOffsetOnBothSidesIsTheTimers) {
    const auto offset = [](double gap, double scatter, int calls) {
        Clocks clocks;
        for (int i = 0; i < calls; ++i) clocks.add(1, {200e-6, gap + scatter * (i % 4), tolerance});
        return clocks.steady_offset().value_or(0);
    };
    EXPECT_NEAR(offset(100e-6, 1e-6, 64), 101.5e-6, 1e-9);
    EXPECT_NEAR(offset(-100e-6, 0, 64), -100e-6, 1e-9);
    EXPECT_EQ(offset(4e-6, 1e-6, 64), 0) << "honest clocks differ by that";
    EXPECT_EQ(offset(100e-6, 50e-6, 64), 0) << "a busy device";
    EXPECT_EQ(offset(100e-6, 0, 7), 0) << "too few calls to tell";
}

// An independent clock of 1.03 times the value, of baseline calls that take 18 mJ and candidate calls of `value`, which
// tell `less` of them.
Clocks clocks_with_a_gain(double value, double less, double scatter) {
    Clocks clocks;
    for (int i = 0; i < 64; ++i) {
        const double of_baseline = 18e-3 * (1 + scatter * (i % 8)), of_candidate = value * (1 + scatter * (i % 5));
        clocks.add(0, {1.03 * of_candidate, 0.03 * of_candidate + less, 20e-6});
        clocks.add(1, {1.03 * of_baseline, 0.03 * of_baseline, 20e-6});
    }
    return clocks;
}

TEST(Clocks, AGainOnBothSidesIsTheTimers) {
    for (const double scatter : {0.0, 0.1}) {
        for (const double value : {6e-3, 28e-3, 0.3}) {
            const Clocks clocks = clocks_with_a_gain(value, 0, scatter);
            EXPECT_FALSE(clocks.forged(0, "J")) << value;
            EXPECT_GT(clocks.steady_offset().value_or(0), 5e-4) << scatter;
        }
        const auto moved = clocks_with_a_gain(28e-3, 400e-6, scatter).forged(0, "J");
        ASSERT_TRUE(moved) << "beyond the gain";
        if (scatter == 0)
            EXPECT_EQ(moved->reason,
                      "the clock in its own process was moved: the bench's, over the same calls, shows 1.24 mJ more");
    }
}

TEST(Clocks, OneLongCallWidensNothing) {
    Clocks clocks = clocks_of(64, 1, 1, 4e-6);
    clocks.add(0, {2e-3, 4e-6, 1e-3});
    EXPECT_TRUE(clocks.doubtful());
}

TEST(Clocks, CallsWithoutAWitnessSayNothing) {
    Clocks clocks;
    clocks.add(0, {0, 1, 0});
    clocks.add(0, {std::nan(""), std::nan(""), 0});
    EXPECT_TRUE(clocks.without_independent());
    EXPECT_FALSE(clocks.doubtful());
}

}  // namespace
}  // namespace hone
