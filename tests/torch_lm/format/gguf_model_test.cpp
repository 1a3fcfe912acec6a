// What a GGUF file says of a model: its Config, and its weights under their Hugging Face names.
#include <gtest/gtest.h>
#include "error_of.hpp"
#include "format/small_gguf.hpp"
#include "torch_lm/format/gguf/model.hpp"

namespace hone::lm::gguf {
namespace {

using test::GgufWriter, test::small_gguf;

// The bytes must outlive the weights.
struct Opened {
    explicit Opened(const GgufWriter& writer) : bytes(writer.bytes()), model(read_model(bytes, "f", nullptr)) {}
    std::string bytes;
    ModelFiles model;
    std::vector<float> read(const std::string& name, const Extents& shape) const {
        std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
        model.weights->read(name, shape, values);
        return values;
    }
};

std::string refused(const GgufWriter& writer) {
    return error_of([&] { Opened{writer}; });
}

TEST(GgufModel, IsAConfig) {
    const Config c = Opened(small_gguf("llama")).model.config;
    EXPECT_EQ(c.family, "llama");
    EXPECT_EQ(c.vocabulary, 262) << "the rows of the embedding";
    EXPECT_EQ(c.width, 8);
    EXPECT_EQ(c.layers, 2);
    EXPECT_EQ(c.heads, 2);
    EXPECT_EQ(c.kv_heads, 1);
    EXPECT_EQ(c.head_width, 4);
    EXPECT_EQ(c.mlp_width, 6);
    EXPECT_EQ(c.context, 64);
    EXPECT_EQ(c.rope_theta, 5e5);
    EXPECT_EQ(c.norm_epsilon, static_cast<double>(1e-5f));
    EXPECT_EQ(c.eos, std::vector<std::int64_t>{259});
    EXPECT_EQ(c.bos, -1);
    EXPECT_TRUE(c.tied);
}

TEST(GgufModel, FamiliesDiffer) {
    EXPECT_TRUE(Opened(small_gguf("qwen2")).model.config.qkv_bias);
    EXPECT_TRUE(Opened(small_gguf("qwen3")).model.config.qk_norm);
    EXPECT_EQ(Opened(small_gguf("mistral")).model.config.family, "mistral");
    GgufWriter untied = small_gguf("llama");
    untied.floats("output.weight", {262, 8}, test::count_from(7, 262 * 8));
    const Opened opened(untied);
    EXPECT_FALSE(opened.model.config.tied);
    EXPECT_EQ(opened.read("lm_head.weight", {262, 8})[0], 7);
}

TEST(GgufModel, OptionalKeysAreUsed) {
    GgufWriter writer = small_gguf("qwen3");
    writer.whole("qwen3.attention.key_length", 8);
    writer.whole("qwen3.attention.value_length", 8);
    writer.whole("qwen3.rope.dimension_count", 8);
    writer.whole("qwen3.attention.sliding_window", 48);
    writer.whole("tokenizer.ggml.bos_token_id", 5);
    writer.whole("tokenizer.ggml.padding_token_id", 6);
    writer.whole("tokenizer.ggml.eot_token_id", 7);
    writer.whole("tokenizer.ggml.eom_token_id", 259);
    const Config c = Opened(writer).model.config;
    EXPECT_EQ(c.head_width, 8);
    EXPECT_EQ(c.context, 48);
    EXPECT_EQ(c.bos, 5);
    EXPECT_EQ(c.pad, 6);
    EXPECT_EQ(c.eos, (std::vector<std::int64_t>{259, 7})) << "each once";
}

TEST(GgufModel, TensorsHaveTheirHuggingFaceNames) {
    const Opened opened(small_gguf("qwen2"));
    EXPECT_EQ(opened.read("model.layers.1.mlp.down_proj.weight", {8, 6}), test::count_from(1000, 48));
    EXPECT_EQ(opened.read("model.layers.0.self_attn.q_proj.bias", {8}), test::count_from(0, 8));
    EXPECT_EQ(opened.read("model.norm.weight", {8}), test::count_from(1, 8));
    EXPECT_EQ(opened.read("model.layers.1.self_attn.q_proj.weight", {8, 8}), test::count_from(1000, 64))
        << "Qwen's rows are as they are";
    EXPECT_TRUE(opened.model.weights->has("model.embed_tokens.weight"));
    EXPECT_FALSE(opened.model.weights->has("lm_head.weight"));
    EXPECT_EQ(error_of([&] { opened.read("lm_head.weight", {8}); }), "f: has no tensor \"lm_head.weight\"");
    EXPECT_EQ(error_of([&] {
                  opened.read("model.norm.weight", {2, 4});
              }),
              "f: tensor \"model.norm.weight\" has the shape [8]; the model's configuration says [2,4]");
}

// Two heads of width 4: the file's rows 0 1 2 3 of a head are the model's 0 2 1 3, the pairs (0, 2) and (1, 3).
TEST(GgufModel, LlamasRowsOfQAndKArePutBack) {
    for (const std::string architecture : {"llama", "mistral"}) {
        const Opened opened(small_gguf(architecture));
        const std::vector<float> q = opened.read("model.layers.0.self_attn.q_proj.weight", {8, 8});
        const std::vector<float> k = opened.read("model.layers.0.self_attn.k_proj.weight", {4, 8});
        for (std::size_t row = 0; row < 8; ++row) {
            const float stored = std::array<float, 8>{0, 2, 1, 3, 4, 6, 5, 7}[row];
            EXPECT_EQ(q[row * 8], stored * 8) << row;
            EXPECT_EQ(q[row * 8 + 7], stored * 8 + 7) << row;
            if (row < 4) EXPECT_EQ(k[row * 8], stored * 8) << row;
        }
        std::vector<std::uint16_t> bits(64);
        opened.model.weights->read("model.layers.0.self_attn.q_proj.weight", {8, 8}, bits);
        EXPECT_EQ(bits[8], 0x4180) << "16, the third row's first";
        EXPECT_EQ(opened.read("model.layers.0.self_attn.v_proj.weight", {4, 8}), test::count_from(0, 32));
    }
}

TEST(GgufModel, RopeFactorsBecomeLlama3sScaling) {
    Config llama3;
    llama3.head_width = 4;
    llama3.rope_theta = 5e5;
    Config scaled = llama3;
    scaled.rope_scaling.factor = 8;
    std::vector<float> factors;
    for (int i = 0; i < 2; ++i)
        factors.push_back(static_cast<float>(llama3.rope_frequency(i) / scaled.rope_frequency(i)));
    GgufWriter writer = small_gguf("llama");
    writer.floats("rope_freqs.weight", {2}, factors);
    EXPECT_EQ(factors,
              (std::vector<float>{1, scaled.rope_frequency(1) == llama3.rope_frequency(1) ? 1.0f : factors[1]}));
    const Config c = Opened(writer).model.config;
    EXPECT_EQ(c.rope_scaling.factor, factors[1]);
    GgufWriter other = small_gguf("llama");
    other.floats("rope_freqs.weight", {2}, {4, 8});
    EXPECT_EQ(refused(other),
              "f: tensor \"rope_freqs.weight\" is not Llama 3's scaling by 8.000000 of an original context of 8192, "
              "which alone is supported");
    GgufWriter of_another_size = small_gguf("llama");
    of_another_size.floats("rope_freqs.weight", {3}, {1, 1, 1});
    EXPECT_EQ(refused(of_another_size),
              "f: tensor \"rope_freqs.weight\" has the shape [3]; the model's configuration says [2]");
}

TEST(GgufModel, RefusesWhatWouldChangeTheComputation) {
    const auto with = [](auto change) {
        GgufWriter writer = small_gguf("llama");
        change(writer);
        return refused(writer);
    };
    EXPECT_EQ(with([](auto& w) { w.text("general.architecture", "gemma2"); }),
              "f: the architecture is \"gemma2\"; only llama, mistral, qwen2 and qwen3 are supported");
    EXPECT_EQ(with([](auto& w) { w.whole("llama.expert_count", 8); }),
              "f: metadata \"llama.expert_count\" is above zero, which is not supported");
    EXPECT_EQ(with([](auto& w) { w.number("llama.logit_scale", 0.5f); }),
              "f: metadata \"llama.logit_scale\" is set, which is not supported");
    EXPECT_EQ(with([](auto& w) { w.text("llama.rope.scaling.type", "yarn"); }),
              "f: metadata \"llama.rope.scaling.type\" is \"yarn\", which is not supported");
    EXPECT_EQ(with([](auto& w) { w.number("llama.rope.scaling.factor", 4); }),
              "f: metadata \"llama.rope.scaling.factor\" is 4.000000, which is not supported");
    EXPECT_EQ(with([](auto& w) {
                  w.number("llama.rope.scaling.factor", 4);
                  w.text("llama.rope.scaling.type", "none");
              }),
              "no error");
    EXPECT_EQ(with([](auto& w) { w.whole("llama.rope.dimension_count", 2); }),
              "f: metadata \"llama.rope.dimension_count\" is 2, but heads have the width 4, which is not supported");
    EXPECT_EQ(with([](auto& w) { w.flag("llama.attention.causal", false); }),
              "f: metadata \"llama.attention.causal\" is false, which is not supported");
    EXPECT_EQ(with([](auto& w) { w.floats("blk.0.attn_q.bias", {8}, test::count_from(0, 8)); }),
              "f: tensor \"blk.0.attn_q.bias\" has no place in a model of 2 layers of the architecture llama");
    EXPECT_EQ(with([](auto& w) { w.floats("blk.2.attn_norm.weight", {8}, test::count_from(0, 8)); }),
              "f: tensor \"blk.2.attn_norm.weight\" has no place in a model of 2 layers of the architecture llama");
    EXPECT_EQ(with([](auto& w) { w.floats("blk.01.attn_norm.weight", {8}, test::count_from(0, 8)); }),
              "f: tensor \"blk.01.attn_norm.weight\" has no place in a model of 2 layers of the architecture llama");
}

TEST(GgufModel, RefusesImpossibleMetadata) {
    const auto with = [](auto change) {
        GgufWriter writer = small_gguf("llama");
        change(writer);
        return refused(writer);
    };
    EXPECT_EQ(with([](auto& w) { w.keys.erase("general.architecture"); }),
              "f: has no metadata \"general.architecture\"");
    EXPECT_EQ(with([](auto& w) { w.keys.erase("llama.block_count"); }), "f: has no metadata \"llama.block_count\"");
    EXPECT_EQ(with([](auto& w) { w.whole("llama.block_count", 0); }),
              "f: metadata \"llama.block_count\" is 0, not from 1 to 1024");
    EXPECT_EQ(with([](auto& w) {
                  w.wholes("llama.attention.head_count", {2, 2});
              }),
              "f: metadata \"llama.attention.head_count\" is an array of which each is an int32, not a whole number");
    EXPECT_EQ(with([](auto& w) { w.whole("llama.attention.head_count", 16); }),
              "f: 16 heads of width 0 do not fit 1 key-value heads");
    EXPECT_EQ(with([](auto& w) { w.number("llama.rope.freq_base", NAN); }),
              "f: the RoPE base nan and the norm's epsilon 0.000010 must be above zero");
    EXPECT_EQ(with([](auto& w) { w.whole("tokenizer.ggml.eos_token_id", 262); }),
              "f: metadata \"tokenizer.ggml.eos_token_id\" is 262, not from 0 to 261");
    EXPECT_EQ(with([](auto& w) { w.tensors.erase(w.tensors.begin()); }),
              "f: has no tensor \"token_embd.weight\"; a file of a vocabulary alone holds no model");
    EXPECT_EQ(with([](auto& w) { w.whole("llama.embedding_length", 16); }),
              "f: tensor \"token_embd.weight\" has the shape [262,8]; at most 1048576 rows of 16 are needed");
    EXPECT_EQ(with([](auto& w) {
                  w.tensors.erase(w.tensors.begin() + 2);
                  w.floats("blk.0.attn_q.weight", {6, 8}, test::count_from(0, 48));
              }),
              "f: tensor \"blk.0.attn_q.weight\" has the shape [6,8], which is not of whole heads of width 4");
}

}  // namespace
}  // namespace hone::lm::gguf
