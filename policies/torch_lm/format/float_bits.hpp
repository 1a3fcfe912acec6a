// float_bits.hpp: half precision and bfloat16 by their bits, without branches, so that loops over them are vectorised.
#pragma once
#include <bit>
#include <cstdint>

namespace hone::lm {

// IEEE 754 binary16. Exact, also for denormal numbers.
inline float from_half(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    const std::uint32_t rebiased = (magnitude << 13) + ((127u - 15u) << 23);
    const std::uint32_t infinite = rebiased + ((128u - 16u) << 23);  // or not a number
    const float denormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f;
    const std::uint32_t finite = magnitude < 0x400u ? std::bit_cast<std::uint32_t>(denormal) : rebiased;
    return std::bit_cast<float>(sign | (magnitude < 0x7c00u ? finite : infinite));
}

inline float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

// To nearest even; not a number stays one.
inline std::uint16_t to_bfloat(float number) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1u);
    const bool is_number = (bits & 0x7fffffffu) <= 0x7f800000u;
    return static_cast<std::uint16_t>((is_number ? rounded : bits | 0x400000u) >> 16);
}

}  // namespace hone::lm
