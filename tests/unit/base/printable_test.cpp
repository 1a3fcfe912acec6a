// What a terminal would obey, to the letter, in the function and in the commands that show records.
#include "base/printable.hpp"
#include <gtest/gtest.h>
#include "base/random.hpp"

namespace hone {
namespace {

const std::string mark = "\xef\xbf\xbd";

TEST(Printable, LeavesWhatIsReadAsItIs) {
    for (const char* text : {"", "int x;\n\treturn 1;\n", "Grüße, 日本語, µs, ≤ 2⁻¹, 🙂", "\xef\xbf\xbd"})
        EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable("one\r\ntwo\r\n"), "one\ntwo\n");
}

TEST(Printable, ALongWordIsShownByItsBeginning) {
    const std::string path = "/" + std::string(900, 'd');
    EXPECT_EQ(shortened("no " + path + ":\n  here"), "no " + path + ":\n  here");
    EXPECT_EQ(shortened("a " + std::string(50000, 'x') + " b\n"),
              "a " + std::string(100, 'x') + "... (50000 bytes) b\n");
    std::string wide = "x";
    for (int i = 0; i < 1000; ++i) wide += "ü";
    EXPECT_EQ(shortened(wide).substr(95), wide.substr(95, 4) + "... (2001 bytes)");
}

TEST(Printable, MarksControls) {
    EXPECT_EQ(printable("a\033[31mb\007\b\r\v\f\177c"),
              "a" + mark + "[31mb" + mark + mark + mark + mark + mark + mark + "c");
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a" + mark + "b");
    for (int c = 0; c < 0x20; ++c) {
        const std::string one(1, static_cast<char>(c));
        EXPECT_EQ(printable(one), c == '\n' || c == '\t' ? one : mark) << c;
    }
}

TEST(Printable, MarksC1InBothForms) {
    EXPECT_EQ(printable("\xc2\x9b"
                        "31mred"),
              mark + "31mred");
    EXPECT_EQ(printable("\x9b"
                        "31mred"),
              mark + "31mred");
    for (int c = 0x80; c < 0xa0; ++c) {
        EXPECT_EQ(printable(std::string{'\xc2', static_cast<char>(c)}), mark) << c;
        EXPECT_EQ(printable(std::string(1, static_cast<char>(c))), mark) << c;
    }
    EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0") << "a space that does not break is no control";
}

TEST(Printable, MarksWhatIsNoUtf8) {
    EXPECT_EQ(printable("a\xff"
                        "b\xc3"),
              "a" + mark + "b" + mark);
    EXPECT_EQ(printable("\xc0\x8a"), mark + mark) << "a newline in two bytes";
    EXPECT_EQ(printable("\xed\xa0\x80"), mark + mark + mark) << "a surrogate";
}

TEST(Printable, MarksWhatHidesOrReorders) {
    for (const char* hidden :
         {"\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b", "\u202c",
          "\u202d", "\u202e", "\u2060", "\u2066", "\u2067", "\u2068", "\u2069", "\u061c", "\ufeff", "\U000e0041"})
        EXPECT_EQ(printable(std::string("a") + hidden + "b"), "a" + mark + "b") << hidden;
}

TEST(Printable, SoIsEveryTextOfADocument) {
    const Json doc = {{"a\033", {"\x9b", 1.5, nullptr, {{"deep", "\u202e"}}}}, {"b", true}};
    EXPECT_EQ(printable_document(doc), (Json{{"a" + mark, {mark, 1.5, nullptr, {{"deep", mark}}}}, {"b", true}}));
    EXPECT_EQ(document_text({{"a",
                              "\033\xc2\x9b\xff"
                              "ü"}}),
              "{\n  \"a\": \"\\u001b\\u009b\\ufffd\\u00fc\"\n}\n");
}

// Whatever comes in: what comes out is UTF-8, holds no control, and stays as it is.
TEST(Printable, HoldsForAnyBytes) {
    Random random(1, "bytes");
    for (int i = 0; i < 20'000; ++i) {
        std::string text(random.below(24), ' ');
        for (char& c : text) c = static_cast<char>(random.below(2) ? random.below(256) : 0x80 + random.below(64));
        const std::string shown = printable(text);
        ASSERT_EQ(printable(shown), shown);
        ASSERT_NO_THROW((void)Json(shown).dump());
        for (std::size_t at = 0; at < shown.size(); ++at) {
            const auto c = static_cast<unsigned char>(shown[at]);
            ASSERT_TRUE(c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f)) << text;
            ASSERT_FALSE(c == 0xc2 && static_cast<unsigned char>(shown[at + 1]) < 0xa0) << text;
        }
    }
}

}  // namespace
}  // namespace hone
