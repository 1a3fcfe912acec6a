// Containers of weights: whatever their bytes, they are read right or refused with place and cause.
#include "torch_lm/format/safetensors.hpp"
#include <gtest/gtest.h>
#include <cstring>
#include <fstream>
#include <random>
#include "error_of.hpp"
#include "temporary_folder.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/format/float_bits.hpp"
#include "torch_lm/format/safetensors_folder.hpp"

namespace hone::lm {
namespace {

using hone::test::TemporaryFolder;
using nlohmann::json;

std::string container(const json& header, const std::string& data) {
    const std::string text = header.dump();
    std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), 8) + text + data;
}

json entry(const std::string& dtype, std::vector<std::int64_t> shape, std::uint64_t begin, std::uint64_t end) {
    return {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, end}}};
}

// The refusal without the place, or "no error".
std::string refusal(const std::string& bytes) {
    const std::string error = error_of([&] { read_safetensors(bytes, "w"); });
    return error.starts_with("w: ") ? error.substr(3) : error;
}

TEST(SafeTensors, WrittenIsRead) {
    const TemporaryFolder folder;
    const std::vector<float> a{1, -2.5f, 3e-40f}, b{7};
    write_safetensors(folder.file("w"), {{"a", {3, 1}, a}, {"b", {}, b}}, {{"format", "pt"}});
    const SafeTensors file(folder.file("w"));
    std::vector<float> back(3);
    file.read("a", {3, 1}, back);
    EXPECT_EQ(back, a);
    EXPECT_EQ(file.metadata().at("format"), "pt");
    EXPECT_EQ(error_of([&] { file.read("a", {3}, back); }),
              folder.file("w") + ": tensor \"a\" has the shape [3,1]; the model's configuration says [3]");
    EXPECT_EQ(error_of([&] { file.tensor("c"); }), folder.file("w") + ": has no tensor \"c\"");
    EXPECT_EQ(error_of([&] {
                  file.read("a", {3, 1}, std::span(back).subspan(1));
              }),
              folder.file("w") + ": tensor \"a\" has 3 numbers, but there is room for 2");
}

TEST(SafeTensors, HalvesAreWidened) {
    const std::uint16_t half[] = {0x3c00, 0xc100, 0x0001, 0x7c00, 0x3f80, 0xc020};
    const TemporaryFolder folder;
    write_file(folder.file("w"), container({{"h", entry("F16", {4}, 0, 8)}, {"b", entry("BF16", {2}, 8, 12)}},
                                           std::string(reinterpret_cast<const char*>(half), 12)));
    const SafeTensors file(folder.file("w"));
    std::vector<float> h(4), b(2);
    file.read("h", {4}, h);
    file.read("b", {2}, b);
    EXPECT_EQ(h, (std::vector<float>{1, -2.5f, 0x1p-24f, INFINITY}));
    EXPECT_EQ(b, (std::vector<float>{1, -2.5f}));
}

TEST(SafeTensors, ForeignBytesAreRefused) {
    EXPECT_EQ(refusal(""), "is not a safetensors file, or was cut off (0 bytes)");
    EXPECT_EQ(refusal(std::string(16, '\xff')), "is not a safetensors file, or was cut off (16 bytes)");
    EXPECT_EQ(refusal(container({{"a", entry("F32", {2}, 0, 8)}}, "1234")),
              "tensor \"a\" lies outside the file (0 to 8 of 4 bytes)");
    EXPECT_EQ(refusal(container({{"a", entry("F32", {2}, 8, 0)}}, "12345678")),
              "tensor \"a\" lies outside the file (8 to 0 of 8 bytes)");
    EXPECT_EQ(refusal(container({{"a", entry("F32", {3}, 0, 8)}}, "12345678")),
              "tensor \"a\" takes 8 bytes, but F32 [3] needs 12");
    EXPECT_EQ(refusal(container({{"a", entry("F99", {2}, 0, 8)}}, "12345678")),
              "tensor \"a\" has the unknown dtype \"F99\"");
    EXPECT_EQ(refusal(container({{"a", entry("U8", {-8}, 0, 8)}}, "12345678")),
              "tensor \"a\" has the impossible shape [-8]");
    EXPECT_EQ(refusal(container({{"a", entry("F32", {1L << 62, 1L << 62}, 0, 0)}}, "")),
              "tensor \"a\" has the impossible shape [4611686018427387904,4611686018427387904]");
    EXPECT_EQ(refusal(container({{"a", entry("U8", {8}, 0, 8)}, {"b", entry("U8", {4}, 4, 8)}}, "12345678")),
              "its tensors overlap or leave holes");
    EXPECT_EQ(refusal(container({{"a", entry("U8", {4}, 0, 4)}}, "12345678")), "has bytes behind its last tensor");
    EXPECT_EQ(refusal(container({{"a", 3}}, "")).substr(0, 50), "the header is not what safetensors prescribe: [jso");
    json fraction = entry("F32", {2}, 0, 8);
    fraction["shape"][0] = 2.5;
    EXPECT_EQ(refusal(container({{"a", fraction}}, "12345678")), "tensor \"a\" has 2.5 for a whole number");
    fraction = entry("F32", {2}, 0, 8);
    fraction["data_offsets"][1] = ~std::uint64_t{0};
    EXPECT_EQ(refusal(container({{"a", fraction}}, "12345678")),
              "tensor \"a\" lies outside the file (0 to 18446744073709551615 of 8 bytes)");
    const std::string nested = std::string(99, '[') + std::string(99, ']'), length("\xc6\0\0\0\0\0\0\0", 8);
    EXPECT_EQ(refusal(length + nested), "w, header: nests more than 64 levels of JSON");
}

TEST(SafeTensors, DamagedFilesNeverCrash) {
    std::mt19937 random(7);
    const std::string good =
        container({{"a", entry("F32", {2}, 0, 8)}, {"b", entry("F32", {1}, 8, 12)}}, "123456789012");
    for (int i = 0; i < 2000; ++i) {
        std::string bad = good.substr(0, good.size() - random() % 4);
        for (unsigned n = random() % 4; n--;) bad[random() % bad.size()] = static_cast<char>(random());
        refusal(bad);
    }
}

// Of every kind into both; bfloat16 into bfloat16 is a copy, so also what is not a number comes through.
TEST(SafeTensors, IsReadAsBfloat16) {
    const std::uint16_t bits[] = {0x3f80, 0x7fc1, 0xff81};
    const TemporaryFolder folder;
    const std::vector<float> wide{1, std::bit_cast<float>(0x3f818000u), -3e38f};
    write_safetensors(folder.file("w"), {{"b", {3}, bits}, {"f", {3}, wide}}, {});
    const SafeTensors file(folder.file("w"));
    std::vector<std::uint16_t> back(3);
    file.read("b", {3}, back);
    EXPECT_EQ(back, std::vector<std::uint16_t>(bits, bits + 3));
    file.read("f", {3}, back);
    EXPECT_EQ(back, (std::vector<std::uint16_t>{0x3f80, 0x3f82, to_bfloat(-3e38f)}));
    EXPECT_EQ(file.tensor("b").dtype, "BF16");
    EXPECT_EQ(file.tensor("f").dtype, "F32");
}

TEST(SafeTensors, OtherKindsOfNumbersAreNamed) {
    const TemporaryFolder folder;
    write_file(folder.file("w"), container({{"i", entry("I64", {1}, 0, 8)}}, "12345678"));
    std::vector<float> to(1);
    EXPECT_EQ(error_of([&] { SafeTensors(folder.file("w")).read("i", {1}, to); }),
              folder.file("w") + ": tensor \"i\" is I64; F32, F16 or BF16 is needed");
}

TEST(SafeTensorsFolder, FindsTensorsInTheFilesThatTheIndexLists) {
    const TemporaryFolder folder;
    const std::string index = folder.file("model.safetensors.index.json");
    const std::vector<float> one{1}, two{2};
    write_safetensors(folder.file("x"), {{"a", {1}, one}}, {});
    write_safetensors(folder.file("y"), {{"b", {1}, two}}, {});
    write_file(index, R"({"weight_map": {"a": "x", "b": "y"}})");
    const SafeTensorsFolder files(folder.path());
    std::vector<float> to(1);
    files.read("b", {1}, to);
    EXPECT_EQ(to, two);
    EXPECT_TRUE(files.has("a"));
    EXPECT_FALSE(files.has("c"));
    EXPECT_EQ(error_of([&] { files.read("c", {1}, to); }), index + ": has no tensor \"c\"");
}

TEST(SafeTensorsFolder, IndicesThatCannotBeAreRefused) {
    const TemporaryFolder folder;
    const std::string index = folder.file("model.safetensors.index.json");
    const auto refused = [&](const std::string& text) {
        write_file(index, text);
        return error_of([&] { SafeTensorsFolder(folder.path()); });
    };
    EXPECT_EQ(refused("{}"), index + ": has no \"weight_map\"");
    EXPECT_EQ(refused(R"({"weight_map": {}})"), index + ": lists no tensors");
    EXPECT_EQ(refused(R"({"weight_map": {"a": "../x"}})"), index + ": \"../x\" is not the name of a file beside it");
    EXPECT_EQ(refused(R"({"weight_map": {"a": 3}})"), index + ": \"\" is not the name of a file beside it");
    EXPECT_EQ(refused(R"({"weight_map": {"a": "x"}})"),
              folder.file("x") + ": cannot be read: No such file or directory");
    const std::vector<float> one{1};
    for (const char* name : {"x", "y"}) write_safetensors(folder.file(name), {{"a", {1}, one}}, {});
    EXPECT_EQ(refused(R"({"weight_map": {"a": "x", "b": "y"}})"),
              folder.file("y") + ": tensor \"a\" lies in another file of the folder, too");
}

}  // namespace
}  // namespace hone::lm
