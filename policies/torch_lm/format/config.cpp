#include "torch_lm/format/config.hpp"
#include <algorithm>
#include <cmath>
#include "hone/plugin.hpp"
#include "torch_lm/format/config_json.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct Family {
    const char *name, *architecture;
    bool qkv_bias, qk_norm;
    std::int64_t head_width;  // where config.json does not say it; 0: width / heads
};

constexpr Family families[] = {{"llama", "LlamaForCausalLM", false, false, 0},
                               {"mistral", "MistralForCausalLM", false, false, 0},
                               {"qwen2", "Qwen2ForCausalLM", true, false, 0},
                               {"qwen3", "Qwen3ForCausalLM", false, true, 128}};

const Family& family_of(const std::string& name, const std::string& place) {
    for (const Family& family : families)
        if (name == family.name) return family;
    throw Refused(place + ": \"model_type\" is \"" + first_words(name) +
                  "\"; only llama, mistral, qwen2 and qwen3 are supported");
}

void refuse_other_computations(const ConfigJson& root) {
    root.must_be("hidden_act", "silu");
    root.must_be("mlp_bias", false);
    root.must_be("use_sliding_window", false);
    if (root.has("layer_types"))
        for (const json& type : root.at("layer_types"))
            if (type != "full_attention")
                throw Refused(root.place() + ": layers of the type " + first_words(type.dump()) +
                              " are not supported (supported: full_attention)");
    if (root.has("quantization_config"))
        throw Refused(root.place() + ": the weights are quantised (\"quantization_config\"), which is not supported; " +
                      "use the folder of the model in bf16, or a GGUF file");
}

void read_numbers(const ConfigJson& root, const Family& family, Config& c) {
    const bool llama = c.family == "llama";  // whose oldest files leave two keys out
    c.vocabulary = root.whole("vocab_size", 1, most_vocabulary);
    c.width = root.whole("hidden_size", 1, most_width);
    c.layers = root.whole("num_hidden_layers", 1, most_layers);
    c.heads = root.whole("num_attention_heads", 1, most_heads);
    c.kv_heads =
        llama ? root.whole("num_key_value_heads", c.heads, 1, c.heads) : root.whole("num_key_value_heads", 1, c.heads);
    c.head_width =
        root.whole("head_dim", family.head_width ? family.head_width : c.width / c.heads, 2, most_head_width);
    c.mlp_width = root.whole("intermediate_size", 1, most_mlp_width);
    c.context = llama ? root.whole("max_position_embeddings", 2048, 2, most_context)
                      : root.whole("max_position_embeddings", 2, most_context);
    c.norm_epsilon = root.number("rms_norm_eps", 1e-6);
    c.init_deviation = root.number("initializer_range", 0.02);
    c.tied = root.flag("tie_word_embeddings", false);
}

// Mistral's layers attend to the last 4096 tokens where config.json does not say null or another number.
void cut_context(const json& root, const ConfigJson& checked, Config& c) {
    if (c.family != "mistral" || (root.contains("sliding_window") && root["sliding_window"].is_null())) return;
    c.context = std::min(c.context, checked.whole("sliding_window", 4096, 2, most_context));
}

void read_tokens(const ConfigJson& root, Config& config) {
    // some files hold a list or a text here, of which nothing depends
    const auto id = [&](const char* key, std::int64_t absent) {
        return root.has(key) && root.at(key).is_number_integer() ? root.at(key).get<std::int64_t>() : absent;
    };
    config.bos = id("bos_token_id", config.bos);
    config.pad = id("pad_token_id", config.pad);
    if (root.has("eos_token_id")) config.eos = root.wholes("eos_token_id");
}

void put_tokens(const Config& config, ordered_json& root) {
    root["bos_token_id"] = config.bos < 0 ? ordered_json() : ordered_json(config.bos);
    root["eos_token_id"] = config.eos.size() == 1 ? ordered_json(config.eos[0]) : ordered_json(config.eos);
    root["pad_token_id"] = config.pad < 0 ? ordered_json() : ordered_json(config.pad);
}

void put_what_is_not_used(const Config& c, ordered_json& root) {
    if (c.family == "llama") root["mlp_bias"] = false;
    if (c.family == "llama" || c.family == "qwen3") root["attention_bias"] = false;
    if (c.family == "mistral") root["sliding_window"] = nullptr;  // the context is within the window
    if (c.family.starts_with("qwen")) root["use_sliding_window"] = false;
}

}  // namespace

Config read_config(const json& json, const std::string& place) {
    const ConfigJson root(json, place);
    const Family& family = family_of(root.text("model_type", "llama"), place);
    Config c;
    c.family = family.name;
    c.qkv_bias = family.qkv_bias;
    c.qk_norm = family.qk_norm;
    refuse_other_computations(root);
    if (!c.qkv_bias) root.must_be("attention_bias", false);
    read_numbers(root, family, c);
    read_rope(root, c);
    cut_context(json, root, c);
    read_tokens(root, c);
    check_config(c, place);
    return c;
}

void check_config(const Config& c, const std::string& place) {
    if (c.heads % c.kv_heads != 0 || c.head_width < 2 || c.head_width % 2 != 0)
        throw Refused(place + ": " + std::to_string(c.heads) + " heads of width " + std::to_string(c.head_width) +
                      " do not fit " + std::to_string(c.kv_heads) + " key-value heads");
    const auto positive = [](double number) { return number > 0 && std::isfinite(number); };
    if (!positive(c.rope_theta) || !positive(c.norm_epsilon))
        throw Refused(place + ": the RoPE base " + std::to_string(c.rope_theta) + " and the norm's epsilon " +
                      std::to_string(c.norm_epsilon) + " must be above zero");
    const RopeScaling& s = c.rope_scaling;
    if (!(s.factor >= 1) || !std::isfinite(s.factor) || !positive(s.low_frequency_factor) ||
        !(s.high_frequency_factor > s.low_frequency_factor) || !std::isfinite(s.high_frequency_factor))
        throw Refused(place + ": RoPE scaling by " + std::to_string(s.factor) + " between the factors " +
                      std::to_string(s.low_frequency_factor) + " and " + std::to_string(s.high_frequency_factor) +
                      " is impossible");
}

void read_generation_config(const json& json, const std::string& place, Config& config) {
    read_tokens(ConfigJson(json, place), config);
}

ordered_json write_config(const Config& c) {
    ordered_json root = {{"architectures", {family_of(c.family, "config.json").architecture}},
                         {"model_type", c.family},
                         {"vocab_size", c.vocabulary},
                         {"hidden_size", c.width},
                         {"num_hidden_layers", c.layers},
                         {"num_attention_heads", c.heads},
                         {"num_key_value_heads", c.kv_heads},
                         {"head_dim", c.head_width},
                         {"intermediate_size", c.mlp_width},
                         {"max_position_embeddings", c.context},
                         {"rms_norm_eps", c.norm_epsilon},
                         {"initializer_range", c.init_deviation},
                         {"tie_word_embeddings", c.tied},
                         {"hidden_act", "silu"},
                         {"torch_dtype", "float32"}};
    write_rope(c, root);
    put_what_is_not_used(c, root);
    put_tokens(c, root);
    return root;
}

ordered_json write_generation_config(const Config& config) {
    ordered_json root = {{"do_sample", true}, {"temperature", 1.0}};
    put_tokens(config, root);
    return root;
}

}  // namespace hone::lm
