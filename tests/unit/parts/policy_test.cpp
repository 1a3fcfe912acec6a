// What a policy's answers cost is added up: what is no amount is refused in its name.
#include "parts/policy.hpp"
#include <gtest/gtest.h>
#include <cstdlib>
#include "error_text.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

std::string sampled(const std::string& usd) {
    const PartFile file{"policy", "mutant", HONE_TEST_FIXTURE_DIR "/faulty/policy.mutant.so", {}};
    const Library library = Library::open(file);
    Policy policy({"policy", "mutant", file.path.string(), library.file_hash(),
                   check_options(library.options(), {{"usd", usd}}, "test")});
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
    EXPECT_EQ(sampled("nan"), refusal("nan"));
    EXPECT_EQ(sampled("inf"), refusal("inf"));
    EXPECT_EQ(sampled("-0.01"), refusal("-0.01"));
    EXPECT_EQ(sampled("0.01"), "(no error)");
}

}  // namespace
}  // namespace hone
