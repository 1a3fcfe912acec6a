// hone/numbers.hpp: the elements of a tensor as C++ values, and the 16-bit floating-point formats, rounded to nearest
// even as devices do.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>
#include "hone/abi.h"

namespace hone {

inline float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

inline std::uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);  // a NaN stays one
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float from_f16(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    if (exponent) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
    const float tiny = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -tiny : tiny;
}

inline std::uint16_t to_f16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u;   // NaN
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and more round to infinity
    // below 2^-14: adding 0.5 rounds at the subnormals' last place
    if (magnitude < 0x38800000u)
        return sign | static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
                                                 0x3f000000u);
    return sign | static_cast<std::uint16_t>((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13);
}

struct F16 {
    std::uint16_t bits;
};
struct BF16 {
    std::uint16_t bits;
};

template <class T> double to_number(T value) { return static_cast<double>(value); }
inline double to_number(F16 value) { return from_f16(value.bits); }
inline double to_number(BF16 value) { return from_bf16(value.bits); }

// Rounds to a floating-point type; truncates to a whole one.
template <class T, class From> T from_number(From value) {
    if constexpr (std::is_same_v<T, F16>) return {to_f16(static_cast<float>(value))};
    else if constexpr (std::is_same_v<T, BF16>) return {to_bf16(static_cast<float>(value))};
    else return static_cast<T>(value);
}

// Calls `body` with a value of the C++ type behind a dtype.
template <class Body> auto with_type(int dtype, Body&& body) {
    switch (dtype) {
        case HONE_F64:
            return body(double());
        case HONE_F32:
            return body(float());
        case HONE_F16:
            return body(F16());
        case HONE_BF16:
            return body(BF16());
        case HONE_I64:
            return body(std::int64_t());
        case HONE_I32:
            return body(std::int32_t());
        case HONE_I8:
            return body(std::int8_t());
        default:
            return body(std::uint8_t());  // u8 and bool
    }
}

}  // namespace hone
