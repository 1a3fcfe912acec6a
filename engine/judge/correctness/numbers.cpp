#include "judge/correctness/numbers.hpp"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include "base/half.hpp"
#include "domain/task.hpp"
#include "hone/abi.h"

namespace hone {
namespace {

struct Half {
    std::uint16_t bits;
};
struct Brain {
    std::uint16_t bits;
};

template <class T> double number(T value) { return static_cast<double>(value); }
double number(Half value) { return from_f16(value.bits); }
double number(Brain value) { return from_bf16(value.bits); }

template <class T> T as(double value) {
    if constexpr (std::is_same_v<T, Half>) return {to_f16(static_cast<float>(value))};
    else if constexpr (std::is_same_v<T, Brain>) return {to_bf16(static_cast<float>(value))};
    else return static_cast<T>(value);
}

// Calls body with a value of the C++ type behind a dtype.
template <class Body> auto with_type(int dtype, Body&& body) {
    switch (dtype) {
        case HONE_F64:
            return body(double());
        case HONE_F32:
            return body(float());
        case HONE_F16:
            return body(Half());
        case HONE_BF16:
            return body(Brain());
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

template <class From> void narrow_all(int dtype, std::span<const From> from, void* to) {
    with_type(dtype, [&](auto zero) {
        using T = decltype(zero);
        for (std::size_t i = 0; i < from.size(); ++i) static_cast<T*>(to)[i] = as<T>(static_cast<double>(from[i]));
    });
}

}  // namespace

bool is_float(int dtype) { return dtype == HONE_F64 || dtype == HONE_F32 || dtype == HONE_F16 || dtype == HONE_BF16; }

std::vector<double> widened(int dtype, const void* from, std::size_t n) {
    return with_type(dtype, [&](auto zero) {
        const auto* values = static_cast<const decltype(zero)*>(from);
        std::vector<double> out(n);
        for (std::size_t i = 0; i < n; ++i) out[i] = number(values[i]);
        return out;
    });
}

double widened_at(int dtype, const void* element) {
    return with_type(dtype, [&](auto zero) {
        std::memcpy(&zero, element, sizeof zero);
        return number(zero);
    });
}

void narrow(int dtype, std::span<const float> from, void* to) { narrow_all(dtype, from, to); }
void narrow(int dtype, std::span<const double> from, void* to) { narrow_all(dtype, from, to); }

std::uint32_t poison_word(int dtype, std::uint64_t salt) {
    const auto bits = static_cast<std::uint32_t>(salt);
    switch (dtype) {
        case HONE_F64:
            return 0x7ff00000u | (bits & 0x7ffffu) | 1u;
        case HONE_F32:
            return 0x7f800000u | (bits & 0x3fffffu) | 1u;
        case HONE_F16:
            return (0x7c00u | (bits & 0x1ffu) | 1u) * 0x10001u;
        case HONE_BF16:
            return (0x7f80u | (bits & 0x3fu) | 1u) * 0x10001u;
        default:
            return bits;
    }
}

std::string repeated(std::uint32_t word, std::size_t bytes) {
    std::string out((bytes + 3) / 4 * 4, '\0');
    if (!out.empty()) std::memcpy(out.data(), &word, 4);
    for (std::size_t done = 4; done < out.size(); done *= 2)
        std::memcpy(out.data() + done, out.data(), std::min(done, out.size() - done));
    out.resize(bytes);
    return out;
}

}  // namespace hone
