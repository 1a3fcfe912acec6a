// Foreign files: whatever their bytes, they are read right or refused with place and cause.
#include "torch_lm/format/files.hpp"
#include <gtest/gtest.h>
#include <cstring>
#include <fstream>
#include <random>
#include "error_of.hpp"
#include "temporary_folder.hpp"
#include "torch_lm/format/checkpoint.hpp"
#include "torch_lm/format/safetensors.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;
using test::TemporaryFolder;

std::string container(const json& header, const std::string& data) {
    const std::string text = header.dump();
    std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), 8) + text + data;
}

json entry(const std::string& dtype, std::vector<std::int64_t> shape, std::uint64_t begin, std::uint64_t end) {
    return {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, end}}};
}

// The refusal without the path, or "no error".
std::string refusal(const std::string& bytes) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("w"), std::ios::binary) << bytes;
    const std::string error = error_of([&] { SafeTensors(folder.file("w")); });
    const std::string path = folder.file("w") + ": ";
    return error.starts_with(path) ? error.substr(path.size()) : error;
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
              folder.file("w") + ": tensor \"a\" has the shape [3,1]; config.json says [3]");
    EXPECT_EQ(error_of([&] { file.tensor("c"); }), folder.file("w") + ": has no tensor \"c\"");
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

json llama() {
    return {{"model_type", "llama"},    {"vocab_size", 300},
            {"hidden_size", 32},        {"num_hidden_layers", 2},
            {"num_attention_heads", 4}, {"num_key_value_heads", 2},
            {"intermediate_size", 48},  {"max_position_embeddings", 64},
            {"rms_norm_eps", 1e-5}};
}

TEST(Config, ReadsBothFormsOfRope) {
    json root = llama();
    root["rope_theta"] = 1e5;
    EXPECT_EQ(read_config(root, "c").rope_theta, 1e5);
    root["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 5e5}};
    EXPECT_EQ(read_config(root, "c").rope_theta, 5e5);
    root["rope_parameters"] = {{"rope_type", "llama3"}};
    EXPECT_EQ(error_of([&] { read_config(root, "c"); }), "c: RoPE scaling of type \"llama3\" is not supported");
}

TEST(Config, RefusesWhatItCannotBe) {
    const auto refused = [](const char* key, const json& value) {
        json root = llama();
        if (value == "absent") root.erase(key);
        else root[key] = value;
        return error_of([&] { read_config(root, "m/config.json"); });
    };
    EXPECT_EQ(refused("model_type", "qwen2"),
              "m/config.json: \"model_type\" is \"qwen2\"; only \"llama\" is supported");
    EXPECT_EQ(refused("hidden_size", "absent"), "m/config.json: has no \"hidden_size\"");
    EXPECT_EQ(refused("hidden_size", -4), "m/config.json: \"hidden_size\" is -4, not a whole number from 1 to 65536");
    EXPECT_EQ(refused("hidden_size", "big"),
              "m/config.json: \"hidden_size\" is \"big\", not a whole number from 1 to 65536");
    EXPECT_EQ(refused("num_key_value_heads", 3), "m/config.json: 4 heads of width 8 do not fit 3 key-value heads");
    EXPECT_EQ(refused("attention_bias", true), "m/config.json: \"attention_bias\" is true; only false is supported");
}

TEST(Config, WrittenIsRead) {
    Config config = read_config(llama(), "c");
    config.eos = {5, 6};
    const Config back = read_config(json(write_config(config)), "c");
    EXPECT_EQ(write_config(back), write_config(config));
    EXPECT_EQ(back.eos, config.eos);
    EXPECT_EQ(back.head_width, 8);
}

TEST(Folder, MissingAndForeignFilesAreNamed) {
    const TemporaryFolder folder;
    EXPECT_EQ(
        error_of([&] { load_folder(folder.path()); }),
        folder.path() +
            ": has no config.json; give the folder of a Hugging Face model, or \"tiny\" for one with random weights");
    write_file(folder.file("config.json"), llama().dump());
    EXPECT_EQ(error_of([&] { load_folder(folder.path()); }),
              folder.file("tokenizer.json") + ": cannot be read: No such file or directory");
    write_file(folder.file("tokenizer.json"), Tokenizer::train({}, 276).file());
    EXPECT_EQ(error_of([&] { load_folder(folder.path()); }),
              folder.file("model.safetensors") + ": cannot be read: No such file or directory");
    write_safetensors(folder.file("model.safetensors"), {}, {});
    EXPECT_EQ(error_of([&] { load_folder(folder.path()); }),
              folder.file("model.safetensors") + ": has no tensor \"model.embed_tokens.weight\"");
    json small = llama();
    small["vocab_size"] = 100;
    write_file(folder.file("config.json"), small.dump());
    EXPECT_EQ(error_of([&] { load_folder(folder.path()); }),
              folder.path() + ": tokenizer.json has 276 tokens, config.json 100; the two files do not belong together");
}

}  // namespace
}  // namespace hone::lm
