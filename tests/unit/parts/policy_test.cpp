// What a policy gives is refused in its name where it is no answer.
#include "parts/policy.hpp"
#include <gtest/gtest.h>
#include <cstdlib>
#include "error_text.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

std::string sampled(const Json& options) {
    const PartFile file{"policy", "mutant", HONE_TEST_FIXTURE_DIR "/faulty/policy.mutant.so", {}};
    const Library library = Library::open(file);
    Policy policy({"policy", "mutant", file.path.string(), library.file_hash(),
                   check_options(library.options(), options, "test")});
    SampleRequest request;
    request.messages = {{"user", "three numbers"}};
    setenv("HONE_FAULT", "none", 1);
    const std::string said = error_text([&] {
        policy.sample(
            {request}, [](const Answer&) {}, [] {});
    });
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

TEST(Policy, WhatAnAnswerLeavesUnsetIsNamed) {
    EXPECT_EQ(sampled({{"finish", 17}}),
              "policy \"mutant\": sample: an answer's finish is 17; give HONE_STOP, HONE_LENGTH, HONE_REFUSAL or "
              "HONE_ERROR");
    EXPECT_EQ(sampled({{"null", true}}),
              "policy \"mutant\": sample: an answer's text is null and 5 bytes long; give its bytes, or a length of 0");
}

}  // namespace
}  // namespace hone
