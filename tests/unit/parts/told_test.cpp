// What a part tells of itself is refused, in its name, where hone could not read it.
#include "parts/told.hpp"
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include "error_text.hpp"

namespace hone {
namespace {

std::string told(const char* what, const Json& facts) {
    return error_text([&] { check_told(facts, what, "part \"x\"", "facts"); });
}

TEST(Told, AValueOfAWrongTypeNamesPartKeyAndType) {
    EXPECT_EQ(told("timer", {{"unit", 3}}), "part \"x\": facts: \"unit\" is 3; give a text");
    EXPECT_EQ(told("timer", {{"virtual", "yes"}}), "part \"x\": facts: \"virtual\" is the text \"yes\"; give a number");
    EXPECT_EQ(told("verifier", {{"ready", 0}}), "part \"x\": facts: \"ready\" is 0; give a text");
    EXPECT_EQ(told("verifier", {{"flops_per_second_strict", "1e12"}}),
              "part \"x\": facts: \"flops_per_second_strict\" is the text \"1e12\"; give a number, 0 or above");
    EXPECT_EQ(told("policy", {{"device", 1}}), "part \"x\": facts: \"device\" is 1; give a text");
    EXPECT_EQ(told("prompt", {{"fenced", "no"}}), "part \"x\": facts: \"fenced\" is the text \"no\"; give a number");
    EXPECT_EQ(told("reference", {{"unit", 3}}), "(no error)") << "nothing of it is read";
}

TEST(Told, AnAmountIsFiniteAndInItsRange) {
    const std::string cure = "; give a number above 0, or leave it out";
    for (const auto& [value, word] : {std::pair{std::nan(""), "nan"},
                                      {-std::nan(""), "nan"},
                                      {std::numeric_limits<double>::infinity(), "inf"},
                                      {-1e-3, "-0.001"},
                                      {0.0, "0"}})
        EXPECT_EQ(told("timer", {{"resolution", value}}),
                  std::string("part \"x\": facts: \"resolution\" is ") + word + cure);
    EXPECT_EQ(told("timer", {{"process_spread", -1}}),
              "part \"x\": facts: \"process_spread\" is -1; give a number, 0 or above");
    EXPECT_EQ(told("timer", {{"process_spread", 0}, {"overhead", -1e-9}, {"resolution", 1e-9}}), "(no error)");
}

TEST(Told, AMisspeltKeyIsRefusedAndAPartsOwnIsKept) {
    const auto refusal = [](const std::string& key, const std::string& meant) {
        return "part \"x\": facts: \"" + key + "\" is no key that hone reads; did you mean \"" + meant + "\"?";
    };
    EXPECT_EQ(told("timer", {{"resoluton", 1}}), refusal("resoluton", "resolution"));
    EXPECT_EQ(told("timer", {{"leastWindow", 1}}), refusal("leastWindow", "least_window"));
    EXPECT_EQ(told("timer", {{"Unit", "s"}}), refusal("Unit", "unit"));
    EXPECT_EQ(told("verifier", {{"byte_per_second", 1}}), refusal("byte_per_second", "bytes_per_second"));
    EXPECT_EQ(told("timer", {{"packages", 2}, {"flush_effect", 0.1}, {"units", 1}, {"overhead_of_flush", 1}}),
              "(no error)");
    EXPECT_EQ(told("verifier", {{"words_per_second", 1}, {"core", "zen"}, {"flops_per_second_strict", 1}}),
              "(no error)");
    EXPECT_EQ(told("verifier.brief", {{"teir", "host"}}), refusal("teir", "tier"));
    EXPECT_EQ(told("verifier.brief", {{"fence", "cpp"}}), refusal("fence", "fences"));
    EXPECT_EQ(told("verifier.brief", {{"tier", "host"}, {"isa", "avx2"}}), "(no error)");
    EXPECT_EQ(told("policy", {{"mode", "fast"}, {"asks.model", "m"}}), "(no error)");
    EXPECT_EQ(told("policy", {{"speak", "chat"}}), refusal("speak", "speaks"));
    EXPECT_EQ(told("prompt", {{"fence", 0}}), refusal("fence", "fenced"));
}

TEST(Told, TextsAreUtf8WhereTheyQuoteNoProgram) {
    EXPECT_EQ(told("verifier", {{"driver", "\xff"}}), "part \"x\": facts: \"driver\" is no UTF-8");
    EXPECT_EQ(told("verifier.open", {{"reason", "\xff"}}), "(no error)");
}

}  // namespace
}  // namespace hone
