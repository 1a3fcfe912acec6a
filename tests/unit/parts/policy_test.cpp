// What a policy gives is refused in its name where it is no answer.
#include "parts/policy.hpp"
#include <gtest/gtest.h>
#include <cstdlib>
#include "error_text.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

std::string sampled(
    const Json& options, const std::function<void(Answer)>& give = [](const Answer&) {}, Budget* budget = nullptr,
    const std::function<void()>& pause = [] {}) {
    const PartFile file{"policy", "mutant", HONE_TEST_FIXTURE_DIR "/faulty/policy.mutant.so", {}};
    const Library library = Library::open(file);
    Policy policy({"policy", "mutant", file.path.string(), library.file_hash(),
                   check_options(library.options(), options, "test")});
    if (budget) policy.pay_from(*budget);
    SampleRequest request;
    request.messages = {{"user", "three numbers"}};
    request.group = 2;
    setenv("HONE_FAULT", "none", 1);
    const std::string said = error_text([&] { policy.sample({request}, give, pause); });
    unsetenv("HONE_FAULT");
    return said;
}

TEST(Policy, WhatAnAnswerCostsIsAnAmount) {
    const auto refusal = [](const char* usd) {
        return std::string("policy \"mutant\": sample: an answer's usd is ") + usd +
               "; give a number, 0 or above; 0 where it is not known";
    };
    EXPECT_EQ(sampled({{"usd", "nan"}}), refusal("nan"));
    EXPECT_EQ(sampled({{"usd", "inf"}}), refusal("inf"));
    EXPECT_EQ(sampled({{"usd", "-0.01"}}), refusal("-0.01"));
    EXPECT_EQ(sampled({{"usd", "0.01"}}), "(no error)");
}

// It may have been paid for all the same.
TEST(Policy, AnAnswerTooManyIsLeftOutByName) {
    std::vector<std::uint32_t> members;
    Budget budget;
    testing::internal::CaptureStderr();
    EXPECT_EQ(sampled(
                  {{"surplus", true}, {"usd", "0.25"}}, [&](const Answer& answer) { members.push_back(answer.member); },
                  &budget),
              "(no error)");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "policy \"mutant\": sample: gave an answer that nobody asked for, or a second time (member 0 of a "
              "request): it is left out\n");
    EXPECT_EQ(members, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(budget.paid(), 0.75);
}

// They may have been paid for. After an answer that was not taken none is.
TEST(Policy, AnswersThatComeAfterAStopAreGiven) {
    int pauses = 0, answers = 0;
    const auto stop = [&] {
        if (++pauses > 1) throw Error(Blame::interrupted, "", "stopped");
    };
    EXPECT_EQ(sampled(
                  {{"late", true}}, [&](const Answer&) { ++answers; }, nullptr, stop),
              "stopped");
    EXPECT_EQ(answers, 2);
    EXPECT_EQ(pauses, 2);
    answers = 0;
    const auto full = [&](const Answer&) {
        ++answers;
        throw Error(Blame::environment, "", "the disk is full");
    };
    EXPECT_EQ(sampled({}, full), "the disk is full");
    EXPECT_EQ(answers, 1);
}

TEST(Policy, WhatAnAnswerLeavesUnsetIsNamed) {
    EXPECT_EQ(sampled({{"finish", 17}}),
              "policy \"mutant\": sample: an answer's finish is 17; give HONE_STOP, HONE_LENGTH, HONE_REFUSAL or "
              "HONE_ERROR");
    EXPECT_EQ(sampled({{"null", true}}),
              "policy \"mutant\": sample: an answer's text is null and 5 bytes long; give its bytes, or a length of 0");
    for (const int size : {0, 8})
        EXPECT_EQ(sampled({{"size", size}}), "policy \"mutant\": sample: an answer's size is " + std::to_string(size) +
                                                 "; set it first: answer.size = sizeof answer");
    EXPECT_EQ(sampled({{"size", 4096}}), "(no error)") << "of a part that is newer than this hone";
}

}  // namespace
}  // namespace hone
