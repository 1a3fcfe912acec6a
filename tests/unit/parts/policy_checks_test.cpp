// What a policy gives is refused where it comes in, with its name and the cure.
#include "parts/policy_checks.hpp"
#include <gtest/gtest.h>
#include <cmath>
#include "error_text.hpp"

namespace hone {
namespace {

const std::string name = "policy \"x\"";

Answer answer_of(std::vector<std::int32_t> ids, std::vector<float> logp) {
    Answer answer;
    answer.finish = "stop", answer.text = "k", answer.ids = std::move(ids), answer.logp = std::move(logp);
    return answer;
}

std::string answered(const Answer& answer, bool learns = true) {
    return error_text([&] { check_answer(answer, learns, name); });
}

TEST(PolicyChecks, WhatLearnsNamesTheTokensOfItsAnswers) {
    const std::string cure = "; a policy that learns gives ids and logp with each answer: it learns from them";
    EXPECT_EQ(answered(answer_of({}, {})), name + ": sample: an answer has no token ids" + cure);
    EXPECT_EQ(answered(answer_of({1}, {})), name + ": sample: an answer has no log-probabilities" + cure);
    EXPECT_EQ(answered(answer_of({}, {}), false), "(no error)") << "a remote model";
    EXPECT_EQ(answered(answer_of({1}, {-0.5f})), "(no error)");
    Answer lost;
    lost.finish = "error", lost.text = "no network";
    EXPECT_EQ(answered(lost), "(no error)");
}

TEST(PolicyChecks, ALogProbabilityIsOne) {
    for (const auto& [value, text] : {std::pair{0.5f, "0.5"}, {NAN, "nan"}, {-INFINITY, "-inf"}})
        EXPECT_EQ(answered(answer_of({1, 2}, {-1, value})),
                  name + ": sample: the log-probability of token 1 is " + text +
                      "; give natural logarithms of probabilities, at most 0; where weights have become NaN, learn "
                      "with a smaller lr");
    EXPECT_EQ(answered(answer_of({1}, {1e-6f})), "(no error)") << "rounding";
}

TEST(PolicyChecks, TokensHaveTheirMessages) {
    const auto encoded = [](std::vector<std::int32_t> ids, std::vector<std::int32_t> sources) {
        return error_text([&] { check_encoded(ids, sources, 2, name); });
    };
    EXPECT_EQ(encoded({}, {}), name + ": encode: gave no token for 2 messages; put their tokens");
    EXPECT_EQ(encoded({1, 2}, {0}), name + ": encode: gave 2 tokens and 1 sources; put the source of each token");
    EXPECT_EQ(encoded({1}, {2}),
              name + ": encode: a token's source is message 2 of 2; count from 0; -1 is the template's own");
    EXPECT_EQ(encoded({1, 2}, {-1, 1}), "(no error)");
}

TEST(PolicyChecks, AnUpdateAsksForEachSequenceAndHasANorm) {
    const auto stepped = [](hone_stepped done, std::vector<bool> weighed) {
        return error_text([&] { check_stepped(done, weighed, name); });
    };
    EXPECT_EQ(stepped({0.1, 1, 8, 1, 1}, {true, false}),
              name +
                  ": learn: called weigh for 1 of 2 sequences; call weigh once for each: what it fills in is what "
                  "the sequence teaches");
    const std::string cure = "; set applied = 0 where the gradient is not finite, and leave the weights as they were";
    EXPECT_EQ(stepped({0.1, -1, 8, 1, 1}, {}),
              name + ": learn: applied an update with objective 0.1, grad_norm -1 and 8 tokens" + cure);
    EXPECT_EQ(stepped({NAN, 1, 8, 1, 1}, {}),
              name + ": learn: applied an update with objective nan, grad_norm 1 and 8 tokens" + cure);
    EXPECT_EQ(stepped({NAN, INFINITY, 8, 0, 1}, {}), "(no error)") << "left out";
    EXPECT_EQ(stepped({0.1, 1, 8, 1, 1}, {true, true}), "(no error)");
}

}  // namespace
}  // namespace hone
