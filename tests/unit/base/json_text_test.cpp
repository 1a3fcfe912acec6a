#include "base/json_text.hpp"
#include <gtest/gtest.h>
#include "error_text.hpp"

namespace hone {
namespace {

TEST(JsonText, AFaultIsToldByPlaceLineAndCause) {
    EXPECT_EQ(parse_json("{\"a\": 1}", "x"), Json({{"a", 1}}));
    EXPECT_EQ(error_text([] { parse_json("{\n\"a\": }", "x.json", "mend x.json"); }),
              "x.json: is no JSON: line 2, column 6: unexpected '}'; expected '[', '{', or a literal; mend x.json");
    EXPECT_EQ(error_text([] { parse_json("", "x.json"); }),
              "x.json: is no JSON: line 1, column 1: unexpected end of input; expected '[', '{', or a literal");
}

TEST(JsonText, AStrangersTextIsNestedSoDeepAndNoDeeper) {
    const auto nested = [](int lists) { return std::string(lists, '[') + "1" + std::string(lists, ']'); };
    EXPECT_EQ(parse_strange_json(nested(deepest_json)).dump(), nested(deepest_json));
    EXPECT_THROW(parse_strange_json(nested(deepest_json + 1)), TooDeep);
    EXPECT_THROW(parse_strange_json("["), Json::exception);
}

TEST(JsonText, TheLibrarysOwnNamesOfErrorsAreLeftOut) {
    try {
        Json(3).get<std::string>();
    } catch (const Json::exception& error) {
        EXPECT_EQ(plain_words(error), "type must be string, but is number");
    }
    EXPECT_EQ(plain_words(std::runtime_error("no room")), "no room");
}

}  // namespace
}  // namespace hone
