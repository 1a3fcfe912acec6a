// config.json of each family: what is read, what is refused by name, what is written.
#include "torch_lm/format/config.hpp"
#include <gtest/gtest.h>
#include <cmath>
#include "error_of.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

json of_family(const std::string& family) {
    return {{"model_type", family},     {"vocab_size", 300},
            {"hidden_size", 32},        {"num_hidden_layers", 2},
            {"num_attention_heads", 4}, {"num_key_value_heads", 2},
            {"intermediate_size", 48},  {"max_position_embeddings", 64},
            {"rms_norm_eps", 1e-5}};
}

json with(json root, const std::string& key, const json& value) {
    if (value == "absent") root.erase(key);
    else root[key] = value;
    return root;
}

std::string refused(const json& root) {
    return error_of([&] { read_config(root, "c"); });
}

TEST(Config, FamiliesDiffer) {
    const Config llama = read_config(of_family("llama"), "c"), mistral = read_config(of_family("mistral"), "c"),
                 qwen2 = read_config(of_family("qwen2"), "c"), qwen3 = read_config(of_family("qwen3"), "c");
    EXPECT_EQ(llama.family, "llama");
    EXPECT_FALSE(llama.qkv_bias || llama.qk_norm || mistral.qkv_bias || mistral.qk_norm);
    EXPECT_TRUE(qwen2.qkv_bias && !qwen2.qk_norm);
    EXPECT_TRUE(qwen3.qk_norm && !qwen3.qkv_bias);
    for (const Config& config : {llama, mistral, qwen2}) EXPECT_EQ(config.head_width, 8);
    EXPECT_EQ(qwen3.head_width, 128) << "the family's own, where the file does not say it";
    EXPECT_EQ(read_config(with(of_family("qwen3"), "head_dim", 16), "c").q_width(), 64);
    EXPECT_EQ(read_config(with(of_family("llama"), "model_type", "absent"), "c").family, "llama");
}

TEST(Config, ASlidingWindowCutsTheContext) {
    const auto context = [](const std::string& family, const json& window) {
        json root = with(of_family(family), "max_position_embeddings", 32768);
        return read_config(with(root, "sliding_window", window), "c").context;
    };
    EXPECT_EQ(context("mistral", 1024), 1024);
    EXPECT_EQ(context("mistral", nullptr), 32768);
    EXPECT_EQ(context("mistral", "absent"), 4096) << "transformers' preset";
    EXPECT_EQ(context("mistral", 1 << 20), 32768);
    EXPECT_EQ(context("qwen2", 1024), 32768) << "use_sliding_window is false";
    EXPECT_EQ(refused(with(of_family("qwen2"), "use_sliding_window", true)),
              "c: \"use_sliding_window\" is true; only false is supported");
    EXPECT_EQ(refused(with(of_family("mistral"), "sliding_window", 0)),
              "c: \"sliding_window\" is 0, not a whole number from 2 to 16777216");
}

TEST(Config, ReadsBothFormsOfRope) {
    json root = with(of_family("llama"), "rope_theta", 1e5);
    EXPECT_EQ(read_config(root, "c").rope_theta, 1e5);
    root["rope_scaling"] = nullptr;
    EXPECT_EQ(read_config(root, "c").rope_theta, 1e5);
    root["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 5e5}};
    EXPECT_EQ(read_config(root, "c").rope_theta, 5e5);
    EXPECT_EQ(read_config(of_family("llama"), "c").rope_theta, 10000);
    const json scaling = {{"rope_type", "llama3"},
                          {"factor", 32.0},
                          {"low_freq_factor", 1.0},
                          {"high_freq_factor", 4.0},
                          {"original_max_position_embeddings", 4096}};
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
        const RopeScaling read = read_config(with(of_family("llama"), key, scaling), "c").rope_scaling;
        EXPECT_EQ(read.factor, 32);
        EXPECT_EQ(read.original_context, 4096);
    }
}

// transformers' _compute_llama3_parameters for Llama 3.2's numbers: head width 64, base 500000.
TEST(Config, FrequenciesAreLlama3s) {
    Config config;
    config.head_width = 64;
    config.rope_theta = 500000;
    const auto near = [&](std::int64_t i, double want) { EXPECT_NEAR(config.rope_frequency(i) / want, 1, 1e-6) << i; };
    near(0, 1);
    near(31, 3.0139848e-06);
    config.rope_scaling.factor = 32;
    near(0, 1);
    near(14, 3.2105256e-03);
    near(15, 1.2905464e-03);
    near(17, 1e-6);
    near(31, 9.4187025e-08);
}

TEST(Config, RefusesWhatWouldChangeTheComputation) {
    const json llama = of_family("llama");
    EXPECT_EQ(refused(with(llama, "model_type", "qwen2_moe")),
              "c: \"model_type\" is \"qwen2_moe\"; only llama, mistral, qwen2 and qwen3 are supported");
    EXPECT_EQ(refused(with(llama, "hidden_act", "gelu")), "c: \"hidden_act\" is \"gelu\"; only \"silu\" is supported");
    EXPECT_EQ(refused(with(llama, "attention_bias", true)), "c: \"attention_bias\" is true; only false is supported");
    EXPECT_EQ(refused(with(of_family("qwen3"), "attention_bias", true)),
              "c: \"attention_bias\" is true; only false is supported");
    EXPECT_EQ(refused(with(llama, "mlp_bias", true)), "c: \"mlp_bias\" is true; only false is supported");
    EXPECT_EQ(refused(with(llama, "partial_rotary_factor", 0.5)),
              "c: \"partial_rotary_factor\" is 0.5; only whole heads can be rotated");
    EXPECT_EQ(refused(with(of_family("qwen2"), "layer_types", {"full_attention", "sliding_attention"})),
              "c: layers of the type \"sliding_attention\" are not supported (supported: full_attention)");
    EXPECT_EQ(refused(with(llama, "quantization_config", {{"quant_method", "gptq"}})),
              "c: the weights are quantised (\"quantization_config\"), which is not supported; use the folder of the "
              "model in bf16, or a GGUF file");
}

TEST(Config, RefusesOtherRopes) {
    const auto rope = [](const json& parameters) {
        return refused(with(of_family("llama"), "rope_parameters", parameters));
    };
    EXPECT_EQ(rope({{"rope_type", "yarn"}, {"factor", 4}}),
              "c, rope_parameters: RoPE scaling of type \"yarn\" is not supported (supported: default, llama3)");
    EXPECT_EQ(refused(with(of_family("llama"), "rope_scaling", {{"type", "linear"}, {"factor", 2}})),
              "c, rope_scaling: RoPE scaling of type \"linear\" is not supported (supported: default, llama3)");
    EXPECT_EQ(rope({{"rope_type", "llama3"}}), "c, rope_parameters: has no \"factor\"");
    EXPECT_EQ(rope({{"rope_type", "llama3"}, {"factor", 8}, {"low_freq_factor", 4}, {"high_freq_factor", 1}}),
              "c: RoPE scaling by 8.000000 between the factors 4.000000 and 1.000000 is impossible");
    EXPECT_EQ(rope({{"rope_type", "default"}, {"partial_rotary_factor", 0.25}}),
              "c, rope_parameters: \"partial_rotary_factor\" is 0.25; only whole heads can be rotated");
    EXPECT_EQ(rope({{"full_attention", {{"rope_type", "default"}}}}),
              "c, rope_parameters: one rotary embedding a kind of layer (\"full_attention\") is not supported");
    EXPECT_EQ(rope("default"), "c, rope_parameters: is no object");
}

TEST(Config, RefusesImpossibleNumbers) {
    const json llama = of_family("llama");
    EXPECT_EQ(refused(with(llama, "hidden_size", "absent")), "c: has no \"hidden_size\"");
    EXPECT_EQ(refused(with(llama, "hidden_size", -4)), "c: \"hidden_size\" is -4, not a whole number from 1 to 65536");
    EXPECT_EQ(refused(with(llama, "hidden_size", 1e3)),
              "c: \"hidden_size\" is 1000.0, not a whole number from 1 to 65536");
    EXPECT_EQ(refused(with(llama, "hidden_size", ~std::uint64_t{0})),
              "c: \"hidden_size\" is 18446744073709551615, not a whole number from 1 to 65536");
    EXPECT_EQ(refused(with(llama, "num_key_value_heads", 3)), "c: 4 heads of width 8 do not fit 3 key-value heads");
    EXPECT_EQ(refused(with(llama, "hidden_size", 2)), "c: 4 heads of width 0 do not fit 2 key-value heads");
    EXPECT_EQ(refused(with(of_family("qwen2"), "num_key_value_heads", "absent")), "c: has no \"num_key_value_heads\"");
    EXPECT_EQ(read_config(with(llama, "num_key_value_heads", nullptr), "c").kv_heads, 4);
    EXPECT_EQ(refused(with(llama, "rms_norm_eps", "small")), "c: \"rms_norm_eps\" is \"small\", not a number");
    EXPECT_EQ(refused(with(llama, "rms_norm_eps", 0)),
              "c: the RoPE base 10000.000000 and the norm's epsilon 0.000000 must be above zero");
    EXPECT_EQ(refused(with(llama, "tie_word_embeddings", 1)), "c: \"tie_word_embeddings\" is 1, not true or false");
    EXPECT_EQ(refused(with(llama, "eos_token_id", {2, 0.5})),
              "c: \"eos_token_id\" is [2,0.5], not a token or a list of tokens");
}

TEST(Config, WrittenIsRead) {
    for (const std::string family : {"llama", "mistral", "qwen2", "qwen3"}) {
        json root = with(of_family(family), "eos_token_id", {5, 6});
        root["bos_token_id"] = 1;
        root["tie_word_embeddings"] = family == "qwen2";
        root["rope_scaling"] = {{"rope_type", "llama3"},
                                {"factor", 8},
                                {"low_freq_factor", 1},
                                {"high_freq_factor", 4},
                                {"original_max_position_embeddings", 32}};
        const Config config = read_config(root, "c"), back = read_config(json(write_config(config)), "c");
        EXPECT_EQ(write_config(back), write_config(config));
        EXPECT_EQ(back.family, family);
        EXPECT_EQ(back.eos, config.eos);
        EXPECT_EQ(back.context, 64);
        EXPECT_EQ(back.head_width, config.head_width);
        EXPECT_EQ(back.rope_scaling.factor, 8);
        EXPECT_EQ(back.rope_scaling.original_context, 32);
        EXPECT_EQ(back.tied, family == "qwen2");
    }
}

TEST(GenerationConfig, OverridesTheEndTokens) {
    Config config = read_config(with(of_family("llama"), "eos_token_id", 2), "c");
    read_generation_config({{"pad_token_id", 3}}, "g", config);
    EXPECT_EQ(config.eos, std::vector<std::int64_t>{2});
    EXPECT_EQ(config.pad, 3);
    read_generation_config({{"eos_token_id", {7, 8}}}, "g", config);
    EXPECT_EQ(config.eos, (std::vector<std::int64_t>{7, 8}));
    EXPECT_EQ(error_of([&] {
                  read_generation_config({{"eos_token_id", -1}}, "g", config);
              }),
              "g: \"eos_token_id\" is -1, not a token or a list of tokens");
}

}  // namespace
}  // namespace hone::lm
