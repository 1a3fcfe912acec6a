// Tensors in NumPy's format, as its documentation has it.
#include "judge/call/reveal.hpp"
#include <gtest/gtest.h>
#include <cstring>

namespace hone {
namespace {

TensorSpec spec(int dtype, std::vector<std::int64_t> shape) {
    TensorSpec spec;
    spec.name = "t";
    spec.dtype = dtype;
    spec.shape = std::move(shape);
    return spec;
}

TEST(Reveal, ATensorIsANumpyFile) {
    const std::string bytes(24, '\x01'), file = npy(spec(HONE_I32, {2, 3}), bytes);
    EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const auto length = static_cast<unsigned char>(file[8]) + 256u * static_cast<unsigned char>(file[9]);
    EXPECT_EQ((10 + length) % 64, 0u);
    EXPECT_EQ(file.substr(10, 60), "{'descr': '<i4', 'fortran_order': False, 'shape': (2,3,), } ");
    EXPECT_EQ(file[10 + length - 1], '\n');
    EXPECT_EQ(file.substr(10 + length), bytes);
}

TEST(Reveal, HalfWordsOfBrainFloatsAreWidened) {
    const std::uint16_t one = 0x3f80;
    const std::string file = npy(spec(HONE_BF16, {1}), std::string(reinterpret_cast<const char*>(&one), 2));
    EXPECT_NE(file.find("'<f4'"), std::string::npos);
    float value = 0;
    std::memcpy(&value, file.data() + file.size() - 4, 4);
    EXPECT_EQ(value, 1.0F);
}

}  // namespace
}  // namespace hone
