// A reference beside calls without work: what is measured, judged again, refused.
#include "judge/timing/calibration.hpp"
#include <gtest/gtest.h>

using namespace hone;

TEST(LengthOf, AReferenceOfTwoCallsWithoutWorkIsEnough) {
    EXPECT_EQ(length_of(50, 25, 24, 0), Length::enough);
    EXPECT_EQ(length_of(49.9, 25, 24.99, 0), Length::near_limit);
}

TEST(LengthOf, BetweenOneAndAHalfAndTwoIsNoRefusal) {
    EXPECT_EQ(length_of(48.7, 25.5, 25, 0), Length::near_limit);  // one reference in one of 110 benches
    EXPECT_EQ(length_of(37.5, 25, 25, 0), Length::near_limit);
    EXPECT_EQ(length_of(37.4, 25, 25, 0), Length::too_short);
}

TEST(LengthOf, CallsWithoutWorkThatOthersMadeLongAreNoMeasure) {
    EXPECT_EQ(length_of(60, 70, 25, 0), Length::disturbed);  // shorter than a call without work, no quiet one
    EXPECT_EQ(length_of(60, 70, 31, 0), Length::too_short);
}

TEST(LengthOf, SecondsThatHaveNotPassedAreAnOffset) {
    EXPECT_TRUE(is_offset(120e-6, 20e-6));
    EXPECT_FALSE(is_offset(39e-6, 20e-6)) << "two clocks, two threads";
    EXPECT_FALSE(is_offset(120e-6, 0)) << "not known";
}

TEST(LengthOf, OnABusyMachineNoTaskIsToBlame) {
    EXPECT_EQ(length_of(80, 63, 60, 1.9), Length::near_limit);  // a demo beside a build: an empty call took 63 us
    EXPECT_EQ(length_of(80, 63, 60, 0.2), Length::too_short);
    EXPECT_EQ(length_of(80, 25, 25, 1.9), Length::enough);
}
