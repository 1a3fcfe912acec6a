#include "torch_lm/format/float_bits.hpp"
#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace hone::lm {
namespace {

// By the definition of IEEE 754: sign, five bits of exponent, ten of fraction.
float half_by_definition(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
    return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

TEST(FloatBits, EveryHalfIsWhatItsDefinitionSays) {
    for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) {
        const float got = from_half(static_cast<std::uint16_t>(bits)),
                    want = half_by_definition(static_cast<std::uint16_t>(bits));
        if (std::isnan(want)) ASSERT_TRUE(std::isnan(got)) << bits;
        else ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(want)) << bits;
    }
}

TEST(FloatBits, EveryBfloatComesBack) {
    for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) {
        const float wide = from_bfloat(static_cast<std::uint16_t>(bits));
        if (std::isnan(wide)) ASSERT_TRUE(std::isnan(from_bfloat(to_bfloat(wide)))) << bits;
        else ASSERT_EQ(to_bfloat(wide), bits);
    }
}

TEST(FloatBits, RoundsToNearestEven) {
    EXPECT_EQ(to_bfloat(1.0f), 0x3f80);
    EXPECT_EQ(to_bfloat(std::bit_cast<float>(0x3f808000u)), 0x3f80) << "half way, down to the even one";
    EXPECT_EQ(to_bfloat(std::bit_cast<float>(0x3f818000u)), 0x3f82) << "half way, up to the even one";
    EXPECT_EQ(to_bfloat(std::bit_cast<float>(0x3f808001u)), 0x3f81);
    EXPECT_EQ(to_bfloat(std::bit_cast<float>(0x3f817fffu)), 0x3f81);
    EXPECT_EQ(to_bfloat(-std::bit_cast<float>(0x3f818000u)), 0xbf82);
    EXPECT_EQ(to_bfloat(std::numeric_limits<float>::max()), 0x7f80) << "infinite";
    EXPECT_TRUE(std::isnan(from_bfloat(to_bfloat(std::bit_cast<float>(0x7f800001u))))) << "the fraction's low end";
}

}  // namespace
}  // namespace hone::lm
