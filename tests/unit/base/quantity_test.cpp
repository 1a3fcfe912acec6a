#include "base/quantity.hpp"
#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Quantity, PrefixesBelongToSymbolsAndPluralsToWords) {
    EXPECT_EQ(engineering(12.5e-6, "s"), "12.5 us");
    EXPECT_EQ(engineering(4000, "s"), "4e+03 s");
    EXPECT_EQ(engineering(3.4e-3, "J"), "3.4 mJ");
    EXPECT_EQ(engineering(0, "J"), "0 nJ");
    EXPECT_EQ(engineering(1, "cycle"), "1 cycle");
    EXPECT_EQ(engineering(1.25e6, "cycle"), "1.25 M cycles");
    EXPECT_EQ(engineering(0.5, "instruction"), "0.5 instructions");
}

TEST(Quantity, AnUnknownUnitHasGenericWordsAlone) {
    EXPECT_EQ(cost_words("s").less, "faster");
    EXPECT_EQ(cost_words("J").what, "energy");
    EXPECT_EQ(cost_words("J").more, "more");
    EXPECT_EQ(cost_words("parsec").what, "");
    EXPECT_EQ(cost_words("parsec").less, "less");
}

TEST(Quantity, ARatioBesideOneIsNotRoundedToIt) {
    EXPECT_EQ(ratio_digits(1), "1");
    EXPECT_EQ(ratio_digits(0.9774), "0.977");
    EXPECT_EQ(ratio_digits(0.9996), "0.9996");
    EXPECT_EQ(ratio_digits(1.0004), "1.0004");
    EXPECT_EQ(ratio_digits(1234.5), "1.23e+03");
    EXPECT_EQ(ratio_digits(1 + 1e-12), "1");
}

TEST(Quantity, ARatioIsOfSpeedsOrOfCosts) {
    EXPECT_EQ(ratio_text("s", 2, 1.6, 2.5), "2.000x [1.600, 2.500]");
    EXPECT_EQ(ratio_text("J", 2, 1.6, 2.5), "0.500x [0.400, 0.625] in energy");
    EXPECT_EQ(ratio_text("parsec", 2, 1.6, 2.5), "0.500x [0.400, 0.625] in parsecs");
}

}  // namespace
}  // namespace hone
