#include "torch_lm/format/gguf/dequantize.hpp"
#include <cstring>
#include "torch_lm/format/float_bits.hpp"

namespace hone::lm::gguf {
namespace {

float half_at(const std::uint8_t* at) {
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return from_half(bits);
}

// 16 bytes: the low halves are numbers 0 to 15, the high halves 16 to 31. bit(i): the fifth bit, at its place.
template <class Bit, class Value>
void unpack_small(const std::uint8_t* packed, const Bit& bit, const Value& value, float* to) {
    for (int i = 0; i < 16; ++i) {
        to[i] = value(static_cast<int>(packed[i] & 15u) | bit(i));
        to[i + 16] = value(static_cast<int>(packed[i] >> 4) | bit(i + 16));
    }
}

int no_bit(int) { return 0; }

struct FifthBits {  // 32 bits, number 0 in the lowest
    std::uint32_t bits;
    explicit FifthBits(const std::uint8_t* at) { std::memcpy(&bits, at, sizeof bits); }
    int operator()(int i) const { return static_cast<int>(bits >> i & 1u) << 4; }
};

// Q4_K's eight scales and eight minima of 6 bits in 12 bytes: those of groups 0 to 3 are the low six bits of bytes 0 to
// 3 and 4 to 7; those of groups 4 to 7 are the halves of bytes 8 to 11 with the upper two bits of bytes 0 to 7.
struct SixBits {
    std::uint8_t scale, minimum;
};
SixBits group_of(const std::uint8_t* packed, int group) {
    const auto narrow = [](int value) { return static_cast<std::uint8_t>(value); };
    if (group < 4) return {narrow(packed[group] & 63), narrow(packed[group + 4] & 63)};
    const int both = packed[group + 4];
    return {narrow((both & 15) | (packed[group - 4] >> 6) << 4), narrow(both >> 4 | (packed[group] >> 6) << 4)};
}

}  // namespace

void dequantize_q8_0(const std::uint8_t* block, float* to) {
    const float scale = half_at(block);
    for (std::size_t i = 0; i < small_block; ++i)
        to[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * scale;
}

void dequantize_q4_0(const std::uint8_t* block, float* to) {
    const float scale = half_at(block);
    unpack_small(
        block + 2, no_bit, [=](int n) { return scale * static_cast<float>(n - 8); }, to);
}

void dequantize_q4_1(const std::uint8_t* block, float* to) {
    const float scale = half_at(block), minimum = half_at(block + 2);
    unpack_small(
        block + 4, no_bit, [=](int n) { return scale * static_cast<float>(n) + minimum; }, to);
}

void dequantize_q5_0(const std::uint8_t* block, float* to) {
    const float scale = half_at(block);
    unpack_small(
        block + 6, FifthBits(block + 2), [=](int n) { return scale * static_cast<float>(n - 16); }, to);
}

void dequantize_q5_1(const std::uint8_t* block, float* to) {
    const float scale = half_at(block), minimum = half_at(block + 2);
    unpack_small(
        block + 8, FifthBits(block + 4), [=](int n) { return scale * static_cast<float>(n) + minimum; }, to);
}

// 32 bytes for two groups of 32 numbers: the low halves are the first group, the high halves the second.
void dequantize_q4_k(const std::uint8_t* block, float* to) {
    const float scale = half_at(block), minimum = half_at(block + 2);
    const std::uint8_t *groups = block + 4, *packed = block + 16;
    for (int group = 0; group < 8; ++group, to += 32) {
        const SixBits six = group_of(groups, group);
        const float by = scale * static_cast<float>(six.scale), less = minimum * static_cast<float>(six.minimum);
        const std::uint8_t* from = packed + group / 2 * 32;
        const int shift = group % 2 * 4;
        for (int i = 0; i < 32; ++i) to[i] = by * static_cast<float>(from[i] >> shift & 15) - less;
    }
}

// Two halves of 128 numbers: each has 64 bytes of low four bits, then 32 bytes of high two bits, of four times 32
// numbers; a signed scale for every 16. The scale of the block stands last.
void dequantize_q6_k(const std::uint8_t* block, float* to) {
    const float scale = half_at(block + 208);
    for (int part = 0; part < 8; ++part, to += 32) {
        const int half = part / 4, quarter = part % 4;
        const std::uint8_t *low = block + half * 64 + quarter % 2 * 32, *high = block + 128 + half * 32;
        const int low_shift = quarter / 2 * 4, high_shift = quarter * 2;
        const std::uint8_t* scales = block + 192 + part * 2;
        for (int i = 0; i < 32; ++i) {
            const int number = (low[i] >> low_shift & 15) | (high[i] >> high_shift & 3) << 4;
            to[i] =
                scale * static_cast<float>(static_cast<std::int8_t>(scales[i / 16])) * static_cast<float>(number - 32);
        }
    }
}

}  // namespace hone::lm::gguf
