// The paper's measurement protocol, for comparisons with it.
#include <gtest/gtest.h>
#include "judge/timing/cuda_l1.hpp"
#include "judge_fixture.hpp"

namespace hone {
namespace {

TEST(CudaL1, RoundsTowardsOne) {
    EXPECT_DOUBLE_EQ(rounded_towards_one(1.118), 1.11);  // the paper's two examples
    EXPECT_DOUBLE_EQ(rounded_towards_one(0.992), 1.00);
    EXPECT_DOUBLE_EQ(rounded_towards_one(1.15), 1.15);
    EXPECT_DOUBLE_EQ(rounded_towards_one(0.85), 0.85);
}

TEST(CudaL1, TheMedianOfSevenSlicesOfTimeCounts) {
    const std::vector<double> candidate(14, 1.0),
        baseline = {1, 1, 1.1, 1.1, 1.2, 1.2, 1.13, 1.13, 1.14, 1.14, 1.1, 1.1, 1.2, 1.2};
    const CudaL1Score score = cuda_l1_score(candidate, baseline);
    EXPECT_EQ(score.slices.size(), 7u);
    EXPECT_DOUBLE_EQ(score.value, 1.13);
    EXPECT_TRUE(score.steady);
}

TEST(CudaL1, WhatScattersTooMuchOrIsTooShortIsNotSteady) {
    EXPECT_FALSE(cuda_l1_score({1, 1, 1, 1, 1, 1, 1}, {1, 2, 1, 2, 1, 2, 1}).steady);
    EXPECT_FALSE(cuda_l1_score({1, 1, 1}, {1, 1, 1}).steady);
}

TEST(CudaL1, RemarkableScoresAreMeasuredAgain) {
    EXPECT_FALSE(asks_for_confirmation(3, 0));
    EXPECT_TRUE(asks_for_confirmation(3.01, 0));
    EXPECT_TRUE(asks_for_confirmation(2.5, 1.2));
    EXPECT_FALSE(asks_for_confirmation(2.4, 1.2));
    EXPECT_TRUE(confirms(3.2, 3.5));
    EXPECT_FALSE(confirms(3.2, 2.8));
}

TEST(CudaL1, IsAProtocolOfTheJudge) {
    FakeJudge fake(Json{{"protocol", "cuda-l1"}});
    const Json twice = fake.doc("axpy", "3 1 4"), tie = fake.doc("axpy", "3 5 4");
    EXPECT_EQ(twice.at("outcome"), "faster");
    EXPECT_DOUBLE_EQ(twice["speedup"]["estimate"], 2);
    EXPECT_EQ(twice["cuda_l1"]["slices"].size(), 7);
    EXPECT_FALSE(twice["cuda_l1"].contains("confirmed"));
    EXPECT_EQ(tie.at("outcome"), "ambiguous");
    Task remarkable = load_task("fake/axpy");
    (*remarkable.device)["reference"] = 8e-4;
    remarkable.instance = "axpy:remarkable";
    fake.judge.submit(1, remarkable, make_candidate("axpy", "fake", "3 1 4"));
    const Json eight = fake.document();
    EXPECT_DOUBLE_EQ(eight["speedup"]["estimate"], 8);
    EXPECT_EQ(eight["cuda_l1"]["confirmed"], true);
}

}  // namespace
}  // namespace hone
