// Numbers of every type of GGUF: worked out from the format's definition, and as the gguf package has them
// (gguf_reference.json, made by make_gguf_reference.py).
#include <gtest/gtest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include "format/gguf_writer.hpp"
#include "test_folders.hpp"
#include "torch_lm/format/float_bits.hpp"
#include "torch_lm/format/gguf/file.hpp"

namespace hone::lm::gguf {
namespace {

using test::bytes_of;

constexpr std::uint16_t half_2 = 0x4000, half_1 = 0x3c00, half_minus_3 = 0xc200;

// Through the file: a tensor of one row.
template <class To> std::vector<To> read_row(std::uint32_t type, const std::string& bytes, std::size_t count) {
    test::GgufWriter writer;
    writer.tensor("t", {count}, type, bytes);
    const std::string file = writer.bytes();
    const File read = read_file(file, "f");
    std::vector<To> values(count);
    decode(read.tensors.at("t"), {static_cast<std::int64_t>(count)}, std::span(values), "f: t");
    return values;
}

// 16 bytes of which byte i has the low half i and the high half 15 - i.
std::string nibbles() {
    std::string bytes;
    for (int i = 0; i < 16; ++i) bytes += static_cast<char>(i | (15 - i) << 4);
    return bytes;
}

// value(n) of the numbers 0 to 15, then 15 to 0; with a fifth bit where `fifth` has one.
template <class Value> std::vector<float> of_nibbles(std::uint32_t fifth, const Value& value) {
    std::vector<float> values;
    for (int i = 0; i < 32; ++i)
        values.push_back(value(static_cast<float>((i < 16 ? i : 31 - i) + static_cast<int>(fifth >> i & 1) * 16)));
    return values;
}

TEST(GgufValues, SingleNumbers) {
    EXPECT_EQ(read_row<float>(test::f32_type, bytes_of(std::vector<float>{1.5f, -0.1f, 3e-40f}), 3),
              (std::vector<float>{1.5f, -0.1f, 3e-40f}));
    EXPECT_EQ(read_row<float>(test::f16_type, bytes_of(half_minus_3) + bytes_of<std::uint16_t>(1), 2),
              (std::vector<float>{-3, 0x1p-24f}));
    EXPECT_EQ(read_row<float>(test::bf16_type, bytes_of<std::uint16_t>(0xc020), 1), std::vector<float>{-2.5f});
}

TEST(GgufValues, BlocksOf32) {
    std::string bytes;
    std::vector<float> values;
    for (int i = 0; i < 32; ++i) {
        bytes += static_cast<char>(i * 8 - 128);
        values.push_back(2.0f * static_cast<float>(i * 8 - 128));
    }
    EXPECT_EQ(read_row<float>(test::q8_0_type, bytes_of(half_2) + bytes, 32), values);
    EXPECT_EQ(read_row<float>(test::q4_0_type, bytes_of(half_2) + nibbles(), 32),
              of_nibbles(0, [](float n) { return 2 * (n - 8); }));
    EXPECT_EQ(read_row<float>(test::q4_1_type, bytes_of(half_2) + bytes_of(half_minus_3) + nibbles(), 32),
              of_nibbles(0, [](float n) { return 2 * n - 3; }));
    constexpr std::uint32_t fifth = 0x80010003;
    EXPECT_EQ(read_row<float>(test::q5_0_type, bytes_of(half_2) + bytes_of(fifth) + nibbles(), 32),
              of_nibbles(fifth, [](float n) { return 2 * (n - 16); }));
    EXPECT_EQ(
        read_row<float>(test::q5_1_type, bytes_of(half_2) + bytes_of(half_minus_3) + bytes_of(fifth) + nibbles(), 32),
        of_nibbles(fifth, [](float n) { return 2 * n - 3; }));
}

// Eight groups of 32: scale g + 1 and minimum 2 g, those of groups 4 to 7 with their upper bits elsewhere.
TEST(GgufValues, Q4KHasEightGroups) {
    std::string groups(12, '\0');
    for (int g = 0; g < 4; ++g) {
        const int scale = 40 + g, minimum = 60 - g;  // of groups 4 to 7: above four bits
        groups[g] = static_cast<char>((g + 1) | scale >> 4 << 6);
        groups[g + 4] = static_cast<char>(2 * g | minimum >> 4 << 6);
        groups[g + 8] = static_cast<char>((scale & 15) | (minimum & 15) << 4);
    }
    std::string block = bytes_of(half_2) + bytes_of(half_1) + groups;
    for (int pair = 0; pair < 4; ++pair) block += std::string(32, static_cast<char>(pair | (15 - pair) << 4));
    std::vector<float> values;
    for (int g = 0; g < 8; ++g) {
        const float scale = static_cast<float>(g < 4 ? g + 1 : 40 + g - 4),
                    minimum = static_cast<float>(g < 4 ? 2 * g : 60 - (g - 4)),
                    number = static_cast<float>(g % 2 ? 15 - g / 2 : g / 2);
        values.insert(values.end(), 32, 2 * scale * number - minimum);
    }
    EXPECT_EQ(read_row<float>(test::q4_k_type, block, 256), values);
}

// Number i is i mod 64; of 16 groups, group g has the scale g - 8.
TEST(GgufValues, Q6KHasSixteenGroups) {
    std::string low(128, '\0'), high(64, '\0'), scales;
    for (int i = 0; i < 256; ++i) {
        const int number = i % 64, half = i / 128, in_half = i % 128;
        low[half * 64 + in_half % 64] |= static_cast<char>((number & 15) << in_half / 64 * 4);
        high[half * 32 + in_half % 32] |= static_cast<char>(number >> 4 << in_half / 32 * 2);
    }
    for (int g = 0; g < 16; ++g) scales += static_cast<char>(g - 8);
    std::vector<float> values;
    for (int i = 0; i < 256; ++i) values.push_back(2.0f * static_cast<float>((i / 16 - 8) * (i % 64 - 32)));
    EXPECT_EQ(read_row<float>(test::q6_k_type, low + high + scales + bytes_of(half_2), 256), values);
}

std::string unhex(const std::string& text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2)
        bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
    return bytes;
}

TEST(GgufValues, AreThoseOfTheGgufPackage) {
    std::ifstream file(HONE_TEST_SOURCE_DIR "/tests/torch_lm/format/gguf_reference.json");
    const auto reference = nlohmann::json::parse(file);
    const std::map<std::string, std::uint32_t> types = {
        {"F32", test::f32_type},   {"F16", test::f16_type},   {"BF16", test::bf16_type}, {"Q8_0", test::q8_0_type},
        {"Q4_0", test::q4_0_type}, {"Q4_1", test::q4_1_type}, {"Q5_0", test::q5_0_type}, {"Q5_1", test::q5_1_type},
        {"Q4_K", test::q4_k_type}, {"Q6_K", test::q6_k_type}};
    ASSERT_EQ(reference.size(), types.size());
    for (const auto& [name, type] : types) {
        const std::string values = unhex(reference.at(name).at("values"));
        const auto wide = read_row<float>(type, unhex(reference.at(name).at("bytes")), values.size() / 4);
        EXPECT_EQ(bytes_of(wide), values) << name;
        const auto narrow = read_row<std::uint16_t>(type, unhex(reference.at(name).at("bytes")), values.size() / 4);
        for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_EQ(narrow[i], to_bfloat(wide[i])) << name << " " << i;
    }
}

// More than the threads' least share, of a number of blocks that no number of threads divides.
TEST(GgufValues, LargeTensorsAreReadByAllCores) {
    const std::size_t blocks = (3 << 20) / 32 + 7;
    std::string bytes;
    for (std::size_t i = 0; i < blocks; ++i) bytes += bytes_of(half_1) + std::string(32, static_cast<char>(i % 100));
    const auto values = read_row<float>(test::q8_0_type, bytes, blocks * 32);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(i / 32 % 100)) << i;
}

}  // namespace
}  // namespace hone::lm::gguf
