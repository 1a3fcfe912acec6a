#include <gtest/gtest.h>
#include "base/option_table.hpp"
#include "error_text.hpp"

namespace hone {
namespace {

const std::vector<Option> table = {{"warmup", "int", "3", "0..100", "calls before the first sample"},
                                   {"share", "num", "", "0..1", "share of the device"},
                                   {"mode", "choice", "fast", "fast|exact", "how to compare"},
                                   {"trace", "bool", "false", "", "write a trace"},
                                   {"folder", "path", "", "", "where to"}};

std::string refusal(const Json& given) {
    return error_text([&] { check_options(table, given, "demo.lua:3"); });
}

TEST(Options, DefaultsAreFilledInTheirKinds) {
    EXPECT_EQ(check_options(table, nullptr, "x"),
              Json::parse(R"({"warmup": 3, "mode": "fast", "trace": false, "folder": ""})"));
    EXPECT_EQ(check_options(table, Json::array(), "x"), check_options(table, Json::object(), "x"));
}

TEST(Options, GivenValuesReplaceThem) {
    const Json checked = check_options(
        table, {{"warmup", 5.0}, {"share", 1}, {"mode", "exact"}, {"trace", true}, {"folder", nullptr}}, "x");
    EXPECT_TRUE(checked["warmup"].is_number_integer());
    EXPECT_TRUE(checked["share"].is_number_float());
    EXPECT_EQ(checked, Json::parse(R"({"warmup": 5, "share": 1.0, "mode": "exact", "trace": true, "folder": ""})"));
}

TEST(Options, RefusalsNamePlaceCauseAndCure) {
    EXPECT_EQ(
        refusal({{"warmpu", 1}}),
        "demo.lua:3: no option \"warmpu\"; did you mean \"warmup\"? (options: warmup, share, mode, trace, folder)");
    EXPECT_EQ(refusal({{"zzzzzz", 1}}),
              "demo.lua:3: no option \"zzzzzz\"; options: warmup, share, mode, trace, folder");
    EXPECT_EQ(refusal({{"warmup", 101}}),
              "demo.lua:3: option \"warmup\": 101 is outside 0..100; calls before the first sample");
    EXPECT_EQ(refusal({{"warmup", 1.5}}),
              "demo.lua:3: option \"warmup\": 1.5 is no whole number; calls before the first sample");
    EXPECT_EQ(refusal({{"share", "1"}}), "demo.lua:3: option \"share\": \"1\" is no number; share of the device");
    EXPECT_EQ(refusal({{"mode", "exakt"}}),
              "demo.lua:3: option \"mode\": \"exakt\" is none of fast, exact; did you mean \"exact\"?; how to compare");
    EXPECT_EQ(refusal({{"trace", 1}}), "demo.lua:3: option \"trace\": 1 is neither true nor false; write a trace");
    EXPECT_EQ(refusal({{"folder", "a\xff"}}), "demo.lua:3: option \"folder\": \"a\xef\xbf\xbd\" is no UTF-8; where to");
    EXPECT_EQ(refusal(3), "demo.lua:3: options are no table of names and values");
    EXPECT_EQ(error_text([] { check_options({}, {{"a", 1}}, "p"); }), "p: no option \"a\"; it takes no options");
}

TEST(Options, TextIsReadInItsOptionsKind) {
    EXPECT_EQ(value_of_text(table[0], "12"), Json(12));
    EXPECT_EQ(value_of_text(table[1], "0.5"), Json(0.5));
    EXPECT_EQ(value_of_text(table[3], "true"), Json(true));
    EXPECT_EQ(value_of_text(table[3], "0"), Json(false));
    EXPECT_EQ(value_of_text(table[4], "12"), Json("12"));
    EXPECT_EQ(value_of_text(table[0], "1e1"), Json(10));
    EXPECT_EQ(refusal({{"share", value_of_text(table[1], "inf")}}),
              "demo.lua:3: option \"share\": \"inf\" is no number; share of the device");
    EXPECT_EQ(values_of_texts(table, {{"warmup", "12"}, {"folder", "12"}, {"wramup", "12"}}),
              Json({{"warmup", 12}, {"folder", "12"}, {"wramup", "12"}}));
    EXPECT_EQ(refusal({{"warmup", value_of_text(table[0], "1.5")}}),
              "demo.lua:3: option \"warmup\": \"1.5\" is no whole number; calls before the first sample");
    EXPECT_EQ(refusal({{"trace", value_of_text(table[3], "maybe")}}),
              "demo.lua:3: option \"trace\": \"maybe\" is neither true nor false; write a trace");
}

TEST(Options, APresetIsAValueThatIsAllowed) {
    for (const Option& option : table) EXPECT_EQ(preset_fault(option), "") << option.name;
    EXPECT_EQ(preset_fault({"n", "int", "101", "0..100", ""}), "\"101\" is outside 0..100");
    EXPECT_EQ(preset_fault({"n", "num", "much", "", ""}), "\"much\" is no number");
    EXPECT_EQ(preset_fault({"b", "bool", "yes", "", ""}), "\"yes\" is neither true nor false");
    EXPECT_EQ(preset_fault({"c", "choice", "", "a|b", ""}), "\"\" is none of a, b");
}

TEST(Options, ARangeIsOneThatCanBeRead) {
    const auto fault = [](const char* kind, const char* allowed) { return range_fault({"n", kind, "", allowed, ""}); };
    for (const char* range : {"", "1..5", "-1..1", "0.5..1e3", "1..", "..5", "3..3"})
        EXPECT_EQ(fault("num", range), "") << range;
    for (const char* range : {"1-5", "a|b", "1..5 ", " 1..5", "..", "1..x", "nan..1", "5"})
        EXPECT_EQ(fault("int", range), "is no range") << range;
    EXPECT_EQ(fault("int", "5..1"), "allows no number");
    EXPECT_EQ(fault("choice", "a|b"), "");
    const std::vector<Option> half = {{"n", "int", "", "1..", "times"}};
    EXPECT_EQ(error_text([&] { check_options(half, {{"n", 0}}, "p"); }), "p: option \"n\": 0 is outside 1..; times");
}

TEST(NearestName, WithinAThirdOfTheLength) {
    EXPECT_EQ(nearest_name("cuda-event", {"cuda-events", "wall"}), "cuda-events");
    EXPECT_EQ(nearest_name("f23", {"f64", "f32"}), "f32");  // swapped letters are one slip
    EXPECT_EQ(nearest_name("wal", {"cuda-events", "wall"}), "wall");
    EXPECT_EQ(nearest_name("power", {"cuda-events", "wall"}), "");
    EXPECT_EQ(nearest_name("ab", {"xy"}), "");  // nothing in common is no misspelling
    EXPECT_EQ(nearest_name("x", {"y", "lr"}), "");
    EXPECT_EQ(nearest_name("l", {"lr"}), "lr");
    for (const char* other : {"gpu", "cup", "dsp"})
        EXPECT_EQ(nearest_name(other, {"cpp", "cuda", "torch"}), other == std::string("cup") ? "cpp" : "") << other;
    EXPECT_EQ(nearest_name("last", {"wall"}), "");  // of four letters two are right
    EXPECT_EQ(nearest_name("group", {"grow", "top"}), "");
    EXPECT_EQ(nearest_name("epcohs", {"epochs"}), "epochs");
    EXPECT_EQ(nearest_name("updtaez", {"updates"}), "updates");  // of seven letters two may be wrong
    EXPECT_EQ(suggestion("wal", {"wall"}), "; did you mean \"wall\"?");
    EXPECT_EQ(suggestion("power", {"wall"}), "");
}

}  // namespace
}  // namespace hone
