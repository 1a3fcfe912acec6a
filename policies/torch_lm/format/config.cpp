#include "torch_lm/format/config.hpp"
#include "hone/plugin.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

std::int64_t whole(const json& root, const char* key, std::int64_t absent, std::int64_t least, std::int64_t most,
                   const std::string& place) {
    if (!root.contains(key) || root[key].is_null()) {
        if (absent < 0) throw Refused(place + ": has no \"" + key + "\"");
        return absent;
    }
    if (!root[key].is_number_integer() || root[key].get<std::int64_t>() < least || root[key].get<std::int64_t>() > most)
        throw Refused(place + ": \"" + key + "\" is " + root[key].dump() + ", not a whole number from " +
                      std::to_string(least) + " to " + std::to_string(most));
    return root[key].get<std::int64_t>();
}

void must_be(const json& root, const char* key, const json& wanted, const std::string& place) {
    if (root.contains(key) && !root[key].is_null() && root[key] != wanted)
        throw Refused(place + ": \"" + key + "\" is " + root[key].dump() + "; only " + wanted.dump() + " is supported");
}

double rope_theta(const json& root, const std::string& place) {
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        if (!root.contains(key) || root[key].is_null()) continue;
        const std::string type = root[key].value("rope_type", root[key].value("type", "default"));
        if (type != "default") throw Refused(place + ": RoPE scaling of type \"" + type + "\" is not supported");
        if (root[key].contains("rope_theta")) return root[key]["rope_theta"].get<double>();
    }
    return root.value("rope_theta", 10000.0);
}

void read_tokens(const json& root, Config& config) {
    const auto id = [&](const char* key, std::int64_t absent) {
        return root.contains(key) && root[key].is_number_integer() ? root[key].get<std::int64_t>() : absent;
    };
    config.bos = id("bos_token_id", config.bos);
    config.pad = id("pad_token_id", config.pad);
    if (!root.contains("eos_token_id") || root["eos_token_id"].is_null()) return;
    config.eos.clear();
    if (root["eos_token_id"].is_array()) config.eos = root["eos_token_id"].get<std::vector<std::int64_t>>();
    else config.eos.push_back(root["eos_token_id"].get<std::int64_t>());
}

void put_tokens(const Config& config, nlohmann::ordered_json& root) {
    root["bos_token_id"] = config.bos < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(config.bos);
    root["eos_token_id"] =
        config.eos.size() == 1 ? nlohmann::ordered_json(config.eos[0]) : nlohmann::ordered_json(config.eos);
    root["pad_token_id"] = config.pad < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(config.pad);
}

Config parse(const json& root, const std::string& place) {
    must_be(root, "model_type", "llama", place);
    must_be(root, "hidden_act", "silu", place);
    must_be(root, "attention_bias", false, place);
    must_be(root, "mlp_bias", false, place);
    Config c;
    c.vocabulary = whole(root, "vocab_size", -1, 1, 1 << 20, place);
    c.width = whole(root, "hidden_size", -1, 1, 1 << 16, place);
    c.layers = whole(root, "num_hidden_layers", -1, 1, 1024, place);
    c.heads = whole(root, "num_attention_heads", -1, 1, 1024, place);
    c.kv_heads = whole(root, "num_key_value_heads", c.heads, 1, c.heads, place);
    c.head_width = whole(root, "head_dim", c.width / c.heads, 2, 1024, place);
    c.mlp_width = whole(root, "intermediate_size", -1, 1, 1 << 20, place);
    c.context = whole(root, "max_position_embeddings", 2048, 2, 1 << 24, place);
    c.rope_theta = rope_theta(root, place);
    c.norm_epsilon = root.value("rms_norm_eps", 1e-6);
    c.init_deviation = root.value("initializer_range", 0.02);
    c.tied = root.value("tie_word_embeddings", false);
    if (c.heads % c.kv_heads != 0 || c.head_width % 2 != 0)
        throw Refused(place + ": " + std::to_string(c.heads) + " heads of width " + std::to_string(c.head_width) +
                      " do not fit " + std::to_string(c.kv_heads) + " key-value heads");
    read_tokens(root, c);
    return c;
}

}  // namespace

Config read_config(const json& root, const std::string& place) {
    try {
        return parse(root, place);
    } catch (const json::exception& e) {
        throw Refused(place + ": " + e.what());
    }
}

void read_generation_config(const json& root, const std::string& place, Config& config) {
    try {
        read_tokens(root, config);
    } catch (const json::exception& e) {
        throw Refused(place + ": " + e.what());
    }
}

nlohmann::ordered_json write_config(const Config& c) {
    nlohmann::ordered_json root = {{"architectures", {"LlamaForCausalLM"}},
                                   {"model_type", "llama"},
                                   {"vocab_size", c.vocabulary},
                                   {"hidden_size", c.width},
                                   {"num_hidden_layers", c.layers},
                                   {"num_attention_heads", c.heads},
                                   {"num_key_value_heads", c.kv_heads},
                                   {"head_dim", c.head_width},
                                   {"intermediate_size", c.mlp_width},
                                   {"max_position_embeddings", c.context},
                                   {"rope_theta", c.rope_theta},
                                   {"rms_norm_eps", c.norm_epsilon},
                                   {"initializer_range", c.init_deviation},
                                   {"tie_word_embeddings", c.tied},
                                   {"hidden_act", "silu"},
                                   {"attention_bias", false},
                                   {"mlp_bias", false},
                                   {"torch_dtype", "float32"}};
    put_tokens(c, root);
    return root;
}

nlohmann::ordered_json write_generation_config(const Config& config) {
    nlohmann::ordered_json root = {{"do_sample", true}, {"temperature", 1.0}};
    put_tokens(config, root);
    return root;
}

}  // namespace hone::lm
