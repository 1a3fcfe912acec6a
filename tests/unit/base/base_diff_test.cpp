#include <gtest/gtest.h>
#include "base/diff.hpp"

namespace hone {
namespace {

TEST(Diff, KeepsTheLongestCommonPart) {
    EXPECT_EQ(diff_lines("a\nb\nc\n", "a\nx\nc\n"),
              (std::vector<DiffLine>{{' ', "a"}, {'-', "b"}, {'+', "x"}, {' ', "c"}}));
    EXPECT_EQ(diff_lines("", "a\n"), (std::vector<DiffLine>{{'+', "a"}}));
    EXPECT_EQ(diff_lines("a\nb", ""), (std::vector<DiffLine>{{'-', "a"}, {'-', "b"}}));
    EXPECT_EQ(changed_lines(diff_lines("a\nb\nc\nd\n", "b\nc\nx\nd\n")), 2u);
    EXPECT_EQ(changed_lines(diff_lines("same\n", "same\n")), 0u);
}

TEST(Diff, ShowsContextOnly) {
    std::string from, to;
    for (int i = 0; i < 20; ++i) from += std::to_string(i) + "\n", to += (i == 10 ? "ten" : std::to_string(i)) + "\n";
    EXPECT_EQ(diff_text(diff_lines(from, to), 1), "  ...\n  9\n- 10\n+ ten\n  11\n  ...\n");
    EXPECT_EQ(diff_text(diff_lines(from, from)), "  ...\n");
}

TEST(Diff, HugeTextsAreToldWhole) {
    std::string from, to;
    for (int i = 0; i < 3000; ++i) from += "a" + std::to_string(i) + "\n", to += "b" + std::to_string(i) + "\n";
    EXPECT_EQ(changed_lines(diff_lines(from, to)), 6000u);
}

}  // namespace
}  // namespace hone
