// config.hpp: the shape of a Llama-architecture model, as a Hugging Face config.json says it.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hone::lm {

struct Config {
    std::int64_t vocabulary = 512, width = 128, layers = 4, heads = 4, kv_heads = 4, head_width = 32, mlp_width = 352,
                 context = 1024;
    double rope_theta = 10000, norm_epsilon = 1e-5, init_deviation = 0.02;
    bool tied = true;  // the output matrix is the embedding
    std::int64_t bos = -1, pad = -1;
    std::vector<std::int64_t> eos;

    std::int64_t q_width() const { return heads * head_width; }
    std::int64_t kv_width() const { return kv_heads * head_width; }
    std::int64_t qkv_width() const { return q_width() + 2 * kv_width(); }
};

// Throws Refused (place: the file) for another architecture, a feature that is not implemented, or impossible numbers.
Config read_config(const nlohmann::json& json, const std::string& place);
nlohmann::ordered_json write_config(const Config& config);
// Tokens at which generation ends, from generation_config.json; overrides config.json.
void read_generation_config(const nlohmann::json& json, const std::string& place, Config& config);
nlohmann::ordered_json write_generation_config(const Config& config);

}  // namespace hone::lm
