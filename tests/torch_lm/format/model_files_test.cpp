// Models as people have them: a Hugging Face folder, a GGUF file.
#include "torch_lm/format/model_files.hpp"
#include <gtest/gtest.h>
#include "error_of.hpp"
#include "format/small_gguf.hpp"
#include "temporary_folder.hpp"
#include "torch_lm/format/checkpoint.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/format/safetensors.hpp"

namespace hone::lm {
namespace {

using hone::test::TemporaryFolder;
using nlohmann::json;

json llama() {
    return {{"model_type", "llama"},    {"vocab_size", 300},
            {"hidden_size", 32},        {"num_hidden_layers", 2},
            {"num_attention_heads", 4}, {"num_key_value_heads", 2},
            {"intermediate_size", 48},  {"max_position_embeddings", 64},
            {"rms_norm_eps", 1e-5},     {"eos_token_id", 2}};
}

TEST(Folder, MissingAndForeignFilesAreNamed) {
    const TemporaryFolder folder;
    const auto opened = [&] { return error_of([&] { load_model(folder.path()); }); };
    EXPECT_EQ(opened(), folder.path() +
                            ": has no config.json; give the folder of a Hugging Face model, a .gguf file, "
                            "or \"tiny\" for a model with random weights");
    write_file(folder.file("adapter_config.json"), "{}");
    EXPECT_EQ(opened(), folder.path() +
                            ": holds an adapter alone; give the folder that hone saved it in, or, of one from "
                            "elsewhere, a model into which it is merged (peft: merge_and_unload)");
    write_file(folder.file("config.json"), llama().dump());
    EXPECT_EQ(opened(), folder.file("tokenizer.json") + ": cannot be read: No such file or directory");
    write_file(folder.file("tokenizer.json"), Tokenizer::train({}, 276).file());
    EXPECT_EQ(opened(), folder.file("model.safetensors") + ": cannot be read: No such file or directory");
    write_safetensors(folder.file("model.safetensors"), {}, {});
    EXPECT_EQ(opened(), folder.file("model.safetensors") + ": has no tensor \"model.embed_tokens.weight\"");
    json small = llama();
    small["vocab_size"] = 100;
    write_file(folder.file("config.json"), small.dump());
    EXPECT_EQ(opened(),
              folder.path() + ": tokenizer.json has 276 tokens, config.json 100; the two files do not belong together");
    write_file(folder.file("config.json"), std::string(99, '[') + std::string(99, ']'));
    EXPECT_EQ(opened(), folder.file("config.json") + ": nests more than 64 levels of JSON");
}

// A folder that ties its head may hold the embedding once more; another matrix would be lost.
TEST(Folder, ATiedHeadIsTheEmbeddingOrRefused) {
    const TemporaryFolder folder;
    json tied = llama();
    tied["tie_word_embeddings"] = true;
    write_file(folder.file("config.json"), tied.dump());
    write_file(folder.file("tokenizer.json"), Tokenizer::train({}, 276).file());
    const Config config = read_config(tied, "c");
    const Parameters weights(config, {});
    const std::size_t all = weights.size();
    const auto opened = [&](float head) {
        const std::vector<float> embedding(static_cast<std::size_t>(300 * 32), 0.5f), other(embedding.size(), head),
            rest(all, 1.0f);
        std::vector<TensorToStore> tensors = {{"lm_head.weight", {300, 32}, other}};
        for (const NamedTensor& of : weights.tensors)
            tensors.push_back({of.name, of.shape,
                               of.name == "model.embed_tokens.weight" ? std::span<const float>(embedding)
                                                                      : std::span<const float>(rest).first(of.size)});
        write_safetensors(folder.file("model.safetensors"), tensors, {});
        return error_of([&] { load_model(folder.path()); });
    };
    EXPECT_EQ(opened(0.5f), "no error");
    EXPECT_EQ(opened(0.25f), folder.path() +
                                 ": \"lm_head.weight\" is another matrix than the embedding, and config.json says "
                                 "\"tie_word_embeddings\": true; write false there, or leave the matrix out");
}

TEST(Folder, IsOpened) {
    const TemporaryFolder folder;
    const std::vector<float> norm(32, 3);
    write_file(folder.file("config.json"), llama().dump());
    write_file(folder.file("generation_config.json"), R"({"eos_token_id": [7, 8]})");
    write_file(folder.file("tokenizer.json"), "the text");
    write_file(folder.file("tokenizer_config.json"),
               R"({"chat_template": [{"name": "default", "template": "{{ messages }}"}], "eos_token": "</s>"})");
    write_safetensors(folder.file("model.safetensors"), {{"model.norm.weight", {32}, norm}}, {});
    const ModelFiles files = open_model(folder.path());
    EXPECT_EQ(files.config.width, 32);
    EXPECT_EQ(files.config.eos, (std::vector<std::int64_t>{7, 8}));
    EXPECT_EQ(files.tokenizer_json, "the text");
    EXPECT_EQ(files.tokenizer_place, folder.file("tokenizer.json"));
    EXPECT_EQ(files.chat_template.text, "{{ messages }}");
    std::vector<float> read(32);
    files.weights->read("model.norm.weight", {32}, read);
    EXPECT_EQ(read, norm);
}

TEST(GgufFile, IsOpenedByPath) {
    const TemporaryFolder folder;
    test::GgufWriter writer = test::small_gguf("llama");
    writer.text("tokenizer.chat_template", "{{ bos_token }}");
    write_file(folder.file("m.gguf"), writer.bytes());
    const ModelFiles files = open_model(folder.file("m.gguf"));
    EXPECT_EQ(files.config.width, 8);
    EXPECT_EQ(files.tokenizer_place, folder.file("m.gguf") + ", tokenizer.ggml");
    EXPECT_EQ(files.chat_template.text, "{{ bos_token }}");
    EXPECT_EQ(files.chat_template.place, folder.file("m.gguf") + ", tokenizer.chat_template");
    EXPECT_EQ(files.chat_template.special_tokens,
              (std::vector<std::pair<std::string, std::string>>{{"eos_token", "<|im_end|>"}}));
    std::vector<float> norm(8);
    files.weights->read("model.norm.weight", {8}, norm);
    EXPECT_EQ(norm, test::count_from(1, 8)) << "the file is still mapped";
    write_file(folder.file("m.bin"), "PK");
    EXPECT_EQ(error_of([&] { open_model(folder.file("m.bin")); }),
              folder.file("m.bin") + ": is not a GGUF file, or was cut off (2 bytes)");
}

// The whole way: a GGUF file as a model that computes.
TEST(GgufFile, IsLoaded) {
    const TemporaryFolder folder;
    write_file(folder.file("m.gguf"), test::small_gguf("llama").bytes());
    const Checkpoint checkpoint = load_model(folder.file("m.gguf"));
    EXPECT_EQ(checkpoint.weights.tensors.size(), 2u + 2 * 9);
    EXPECT_EQ(checkpoint.weights.norm[7].item<float>(), 8);
}

}  // namespace
}  // namespace hone::lm
