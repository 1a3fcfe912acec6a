// config.hpp: the shape of a decoder-only transformer of Llama's kind, as a Hugging Face config.json says it.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hone::lm {

// Llama 3's scaling of the rotary frequencies (transformers' rope_type "llama3"): those whose wavelength is longer than
// original_context / low_frequency_factor tokens are divided by factor, those shorter than original_context /
// high_frequency_factor stay, and between them the division fades in.
struct RopeScaling {
    double factor = 1;  // 1: none
    double low_frequency_factor = 1, high_frequency_factor = 4;
    std::int64_t original_context = 8192;
};

struct Config {
    std::string family = "llama";  // model_type: llama, mistral, qwen2 or qwen3
    std::int64_t vocabulary = 512, width = 128, layers = 4, heads = 4, kv_heads = 4, head_width = 32, mlp_width = 352,
                 context = 1024;  // context: of a sliding window no more than the window, within which all is attended
    double rope_theta = 10000, norm_epsilon = 1e-5, init_deviation = 0.02;
    RopeScaling rope_scaling;
    bool qkv_bias = false;  // the projections to q, k and v add a bias (qwen2)
    bool qk_norm = false;   // RMSNorm of each head of q and k, before RoPE (qwen3)
    bool tied = true;       // the output matrix is the embedding
    std::int64_t bos = -1, pad = -1;
    std::vector<std::int64_t> eos;

    std::int64_t q_width() const { return heads * head_width; }
    std::int64_t kv_width() const { return kv_heads * head_width; }
    std::int64_t qkv_width() const { return q_width() + 2 * kv_width(); }
    // Radians a token of the rotary pair i, 0 <= i < head_width / 2; scaled.
    double rope_frequency(std::int64_t i) const;
};

// The largest numbers that are taken: products of two stay far from overflow.
constexpr std::int64_t most_vocabulary = 1 << 20, most_width = 1 << 16, most_layers = 1024, most_heads = 1024,
                       most_head_width = 1024, most_mlp_width = 1 << 20, most_context = 1 << 24;

// Throws Refused (place: the file) for another architecture, a feature that would change the computation and is not
// implemented, or impossible numbers.
Config read_config(const nlohmann::json& json, const std::string& place);
// What any source of a Config must hold: heads that fit, finite numbers. Throws Refused.
void check_config(const Config& config, const std::string& place);
// A config.json from which transformers makes the same model.
nlohmann::ordered_json write_config(const Config& config);
// Tokens at which generation ends, from generation_config.json; overrides config.json.
void read_generation_config(const nlohmann::json& json, const std::string& place, Config& config);
nlohmann::ordered_json write_generation_config(const Config& config);

}  // namespace hone::lm
