// GGUF files whose bytes are wrong in every way that there is: each is refused with place and cause.
#include <gtest/gtest.h>
#include <random>
#include "error_of.hpp"
#include "format/gguf_writer.hpp"
#include "torch_lm/format/gguf/file.hpp"

namespace hone::lm::gguf {
namespace {

using test::bytes_of, test::gguf_text, test::GgufWriter;

std::string refusal(const std::string& bytes) {
    return error_of([&] { read_file(bytes, "f"); });
}

constexpr std::uint64_t huge = std::uint64_t{1} << 60;

// Magic, version, counts; what follows is the test's.
std::string begun(std::uint64_t tensors, std::uint64_t keys) {
    return "GGUF" + bytes_of<std::uint32_t>(3) + bytes_of(tensors) + bytes_of(keys);
}

GgufWriter good() {
    GgufWriter writer;
    writer.text("general.name", "x");
    writer.numbers("list", {1, 2});
    writer.texts("words", {"a", "bc"});
    writer.floats("a", {2, 3}, {1, 2, 3, 4, 5, 6});
    writer.floats("b", {1}, {7});
    return writer;
}

TEST(GgufFile, IsRead) {
    for (const std::uint32_t version : {2u, 3u}) {
        GgufWriter writer = good();
        writer.version = version;
        const std::string bytes = writer.bytes();
        const File file = read_file(bytes, "f");
        EXPECT_EQ(file.metadata.texts("words"), (std::vector<std::string>{"a", "bc"}));
        EXPECT_EQ(file.tensors.at("a").shape, (Extents{2, 3}));
        std::vector<float> b(1);
        decode(file.tensors.at("b"), {1}, std::span(b), "b");
        EXPECT_EQ(b[0], 7);
    }
}

TEST(GgufFile, AnotherAlignmentMovesTheData) {
    GgufWriter writer = good();
    writer.alignment = 128;
    writer.whole("general.alignment", 128);
    const std::string bytes = writer.bytes();
    std::vector<float> b(1);
    decode(read_file(bytes, "f").tensors.at("b"), {1}, std::span(b), "b");
    EXPECT_EQ(b[0], 7);
    writer.whole("general.alignment", 24);
    EXPECT_EQ(refusal(writer.bytes()), "f: metadata \"general.alignment\" is 24, not a power of two");
    writer.whole("general.alignment", 0);
    EXPECT_EQ(refusal(writer.bytes()), "f: metadata \"general.alignment\" is 0, not from 1 to 1048576");
}

TEST(GgufFile, OtherFilesAndVersionsAreRefused) {
    EXPECT_EQ(refusal(""), "f: is not a GGUF file, or was cut off (0 bytes)");
    EXPECT_EQ(refusal("ggml1234"), "f: is not a GGUF file, or was cut off (8 bytes)");
    EXPECT_EQ(refusal("GGUF" + bytes_of<std::uint32_t>(1) + std::string(16, '\0')),
              "f: is of GGUF version 1; versions 2 and 3 are supported");
    EXPECT_EQ(refusal("GGUF" + std::string("\0\0\0\3", 4)), "f: is a big-endian GGUF file, which is not supported");
}

TEST(GgufFile, CountsBeyondTheFileAreRefusedBeforeMemoryIsAskedFor) {
    EXPECT_EQ(refusal(begun(huge, 0)), "f: the number of tensors is 1152921504606846976, but only 8 bytes follow");
    EXPECT_EQ(refusal(begun(0, huge)), "f: the number of keys is 1152921504606846976, but only 0 bytes follow");
    EXPECT_EQ(refusal(begun(0, 1) + bytes_of(huge) + std::string(20, 'x')),
              "f: was cut off: a key needs 1152921504606846976 bytes at byte 32, where 20 are left");
    EXPECT_EQ(refusal(begun(0, 1) + gguf_text("key") + bytes_of<std::uint32_t>(8) + bytes_of(~std::uint64_t{0})),
              "f: was cut off: a text needs 18446744073709551615 bytes at byte 47, where 0 are left");
    EXPECT_EQ(refusal(begun(0, 1) + gguf_text("key") + bytes_of<std::uint32_t>(9) + bytes_of<std::uint32_t>(10) +
                      bytes_of(huge)),
              "f: the length of an array is 1152921504606846976, but only 0 bytes follow");
    EXPECT_EQ(refusal(begun(0, 1) + gguf_text(std::string(65536, 'k')) + bytes_of<std::uint32_t>(7) + "x"),
              "f: a key has 65536 bytes; the format allows 65535");
}

TEST(GgufFile, EveryCutIsRefused) {
    const std::string bytes = good().bytes();
    for (std::size_t size = 0; size + 28 < bytes.size(); ++size)  // 28: of the padding behind the last tensor
        ASSERT_NE(refusal(bytes.substr(0, size)), "no error") << size;
    EXPECT_EQ(refusal(bytes.substr(0, 20)), "f: the number of tensors is 2, but only 4 bytes follow");
    EXPECT_EQ(refusal(bytes.substr(0, bytes.size() - 40)),
              "f: tensor \"b\" lies outside the file (4 bytes from 32 on, of 24)");
}

TEST(GgufFile, MetadataOfOtherTypesIsRefused) {
    GgufWriter writer = good();
    writer.whole("whole", 5);
    writer.put("wide", test::gguf_u64, bytes_of(~std::uint64_t{0}));
    writer.put("small", test::gguf_i8, bytes_of<std::int8_t>(-3));
    writer.put("latin", test::gguf_string, gguf_text("caf\xe9"));
    const std::string bytes = writer.bytes();
    const Metadata metadata = read_file(bytes, "f").metadata;
    EXPECT_EQ(metadata.whole("whole", 0, 9), 5);
    EXPECT_EQ(metadata.whole("small", -9, 9), -3);
    EXPECT_EQ(metadata.number("whole"), 5);
    EXPECT_EQ(metadata.numbers("list"), (std::vector<double>{1, 2}));
    EXPECT_EQ(metadata.whole("absent", 4, 0, 9), 4);
    const auto error = [&](auto ask) { return error_of([&] { ask(); }); };
    EXPECT_EQ(error([&] { metadata.whole("absent", 0, 9); }), "f: has no metadata \"absent\"");
    EXPECT_EQ(error([&] { metadata.whole("whole", 6, 9); }), "f: metadata \"whole\" is 5, not from 6 to 9");
    EXPECT_EQ(error([&] { metadata.whole("wide", 0, 9); }),
              "f: metadata \"wide\" is 9223372036854775807, not from 0 to 9");
    EXPECT_EQ(error([&] { metadata.whole("words", 0, 9); }),
              "f: metadata \"words\" is an array of which each is a text, not a whole number");
    EXPECT_EQ(error([&] { metadata.text("whole"); }), "f: metadata \"whole\" is a uint32, not a text");
    EXPECT_EQ(error([&] { metadata.text("latin"); }), "f: metadata \"latin\" is not UTF-8");
    EXPECT_EQ(error([&] { metadata.flag("whole"); }), "f: metadata \"whole\" is a uint32, not a bool");
    EXPECT_EQ(error([&] { metadata.wholes("list"); }),
              "f: metadata \"list\" is an array of which each is a float32, not an array of whole numbers");
    EXPECT_EQ(error([&] { metadata.texts("whole"); }), "f: metadata \"whole\" is a uint32, not an array of texts");
}

TEST(GgufFile, ImpossibleMetadataIsRefused) {
    const auto nested = bytes_of<std::uint32_t>(9) + bytes_of<std::uint64_t>(1) + bytes_of<std::uint32_t>(9);
    EXPECT_EQ(refusal(begun(0, 1) + gguf_text("key") + bytes_of<std::uint32_t>(9) + nested),
              "f: metadata \"key\" is an array of arrays, which is not supported");
    EXPECT_EQ(refusal(begun(0, 1) + gguf_text("key") + bytes_of<std::uint32_t>(13) + std::string(8, '\0')),
              "f: metadata \"key\" has the unknown type 13");
    EXPECT_EQ(refusal(begun(0, 1) + gguf_text("k\xff") + bytes_of<std::uint32_t>(99) + std::string(8, '\0')),
              "f: metadata \"k\ufffd\" has the unknown type 99");
    const std::string once = gguf_text("key") + bytes_of<std::uint32_t>(7) + "\1";
    EXPECT_EQ(refusal(begun(0, 2) + once + once), "f: has metadata \"key\" twice");
}

std::string with_tensor(const GgufWriter::Tensor& tensor) {
    GgufWriter writer;
    writer.tensors.push_back(tensor);
    return refusal(writer.bytes());
}

TEST(GgufFile, ImpossibleTensorsAreRefused) {
    const std::string eight(8, '\0');
    EXPECT_EQ(with_tensor({"t", {huge, huge}, test::f32_type, eight}),
              "f: tensor \"t\" has the impossible shape [1152921504606846976,1152921504606846976]");
    EXPECT_EQ(with_tensor({"t", {huge, 4}, test::f32_type, eight}),
              "f: tensor \"t\" has the impossible shape [4,1152921504606846976]");
    EXPECT_EQ(with_tensor({"t", {~std::uint64_t{0}}, test::f32_type, eight}),
              "f: tensor \"t\" has the impossible shape [-1]");
    EXPECT_EQ(with_tensor({"t", {2, 0}, test::f32_type, eight}), "f: tensor \"t\" has the impossible shape [0,2]");
    EXPECT_EQ(with_tensor({"t", {}, test::f32_type, eight}),
              "f: tensor \"t\" has 0 dimensions; the format allows 1 to 4");
    EXPECT_EQ(with_tensor({"t", {1, 1, 1, 1, 2}, test::f32_type, eight}),
              "f: tensor \"t\" has 5 dimensions; the format allows 1 to 4");
    EXPECT_EQ(with_tensor({"t", {48, 2}, test::q4_0_type, eight}),
              "f: tensor \"t\" has rows of 48 numbers; Q4_0 has blocks of 32");
    EXPECT_EQ(with_tensor({"t", {128}, test::q4_k_type, eight}),
              "f: tensor \"t\" has rows of 128 numbers; Q4_K has blocks of 256");
    EXPECT_EQ(with_tensor({"t", {256}, test::q5_k_type, eight}),
              "f: tensor \"t\" has the type Q5_K, which is not supported (supported: F32, F16, BF16, Q8_0, Q4_0, "
              "Q4_1, Q5_0, Q5_1, Q4_K, Q6_K)");
    EXPECT_EQ(with_tensor({"t", {256}, 4, eight}),
              "f: tensor \"t\" has the unknown type 4, which is not supported (supported: F32, F16, BF16, Q8_0, Q4_0, "
              "Q4_1, Q5_0, Q5_1, Q4_K, Q6_K)");
    EXPECT_EQ(with_tensor({"", {2}, test::f32_type, eight}),
              "f: the name of a tensor has 0 bytes; the format allows 1 to 64");
    EXPECT_EQ(with_tensor({std::string(65, 'n'), {2}, test::f32_type, eight}),
              "f: the name of a tensor has 65 bytes; the format allows 1 to 64");
}

TEST(GgufFile, TensorsOutsideTheirPlaceAreRefused) {
    const std::string eight(8, '\0');
    EXPECT_EQ(with_tensor({"t", {9}, test::f32_type, eight}),
              "f: tensor \"t\" lies outside the file (36 bytes from 0 on, of 32)");
    EXPECT_EQ(with_tensor({"t", {2}, test::f32_type, eight, 64}),
              "f: tensor \"t\" lies outside the file (8 bytes from 64 on, of 32)");
    EXPECT_EQ(with_tensor({"t", {2}, test::f32_type, eight, 1L << 62}),
              "f: tensor \"t\" lies outside the file (8 bytes from 4611686018427387904 on, of 32)");
    EXPECT_EQ(with_tensor({"t", {2}, test::f32_type, eight, 4}),
              "f: tensor \"t\" begins at byte 4 of the data, which is no multiple of the alignment 32");
    GgufWriter twice = good();
    twice.floats("a", {1}, {1});
    EXPECT_EQ(refusal(twice.bytes()), "f: tensor \"a\" is there twice");
    GgufWriter over = good();
    over.tensors[1].offset = 0;
    EXPECT_EQ(refusal(over.bytes()), "f: tensor \"b\" overlaps \"a\"");
}

TEST(GgufFile, DamagedFilesNeverCrash) {
    std::mt19937 random(7);
    const std::string whole = good().bytes();
    int taken = 0;
    for (int i = 0; i < 5000; ++i) {
        std::string bad = whole.substr(0, whole.size() - random() % 4);
        for (unsigned n = random() % 4; n--;) bad[random() % bad.size()] = static_cast<char>(random());
        taken += refusal(bad) == "no error";
    }
    EXPECT_GT(taken, 500) << "many changes leave a file right";
    EXPECT_LT(taken, 4500);
}

}  // namespace
}  // namespace hone::lm::gguf
