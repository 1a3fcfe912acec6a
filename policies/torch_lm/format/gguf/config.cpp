#include "torch_lm/format/gguf/config.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm::gguf {
namespace {

constexpr std::array architectures = {"llama", "mistral", "qwen2", "qwen3"};
constexpr std::int64_t most_token = most_vocabulary - 1;

// Keys of the architecture ("llama.block_count").
class Keys {
public:
    Keys(const Metadata& metadata, const std::string& architecture) : all(metadata), prefix_(architecture + ".") {}
    std::string of(const char* key) const { return prefix_ + key; }
    std::int64_t whole(const char* key, std::int64_t most) const { return all.whole(of(key), 1, most); }
    std::int64_t whole(const char* key, std::int64_t absent, std::int64_t most) const {
        return all.whole(of(key), absent, 1, most);
    }
    double number(const char* key, double absent) const { return all.number(of(key), absent); }
    [[noreturn]] void refuse(const char* key, const std::string& value) const {
        throw Refused(all.place() + ": metadata \"" + of(key) + "\" is " + value + ", which is not supported");
    }
    const Metadata& all;

private:
    std::string prefix_;
};

std::string architecture_of(const Metadata& metadata) {
    const std::string name = metadata.text("general.architecture");
    if (std::find(architectures.begin(), architectures.end(), name) == architectures.end())
        throw Refused(metadata.place() + ": the architecture is \"" + first_words(name) +
                      "\"; only llama, mistral, qwen2 and qwen3 are supported");
    return name;
}

void refuse_other_computations(const Keys& keys) {
    for (const char* key : {"logit_scale", "residual_scale", "embedding_scale", "attention.scale",
                            "attn_logit_softcapping", "final_logit_softcapping", "attention.clamp_kqv"})
        if (keys.all.has(keys.of(key))) keys.refuse(key, "set");
    if (keys.all.whole(keys.of("expert_count"), 0, 0, most_layers) != 0) keys.refuse("expert_count", "above zero");
    if (!keys.all.flag(keys.of("attention.causal"), true)) keys.refuse("attention.causal", "false");
    const std::string scaling = keys.all.text(keys.of("rope.scaling.type"), "linear");
    if (scaling != "none" && scaling != "linear") keys.refuse("rope.scaling.type", "\"" + first_words(scaling) + "\"");
    for (const char* key : {"rope.scaling.factor", "rope.scale_linear"})
        if (const double factor = keys.number(key, 1); scaling == "linear" && factor != 0 && factor != 1)
            keys.refuse(key, std::to_string(factor));
}

void read_heads(const Keys& keys, Config& c) {
    c.heads = keys.whole("attention.head_count", most_heads);
    c.kv_heads = keys.whole("attention.head_count_kv", c.heads, c.heads);
    c.head_width = keys.whole("attention.key_length", c.width / c.heads, most_head_width);
    for (const char* key : {"attention.value_length", "rope.dimension_count"})
        if (const auto length = keys.whole(key, c.head_width, most_head_width); length != c.head_width)
            keys.refuse(key, std::to_string(length) + ", but heads have the width " + std::to_string(c.head_width));
}

// By how much each rotary pair's frequency is divided.
std::vector<float> frequency_factors(const File& file, const Config& c) {
    const auto found = file.tensors.find("rope_freqs.weight");
    if (found == file.tensors.end()) return {};
    std::vector<float> factors(static_cast<std::size_t>(c.head_width / 2));
    decode(found->second, {c.head_width / 2}, std::span(factors),
           file.metadata.place() + ": tensor \"rope_freqs.weight\"");
    return factors;
}

// The file holds what Llama 3's formula gave, not its parameters: the published models differ in the factor alone.
void read_rope_scaling(const File& file, Config& c) {
    const std::vector<float> factors = frequency_factors(file, c);
    if (factors.empty()) return;
    const double largest = *std::max_element(factors.begin(), factors.end());
    Config plain = c;
    plain.rope_scaling = {};
    c.rope_scaling.factor = largest;
    check_config(c, file.metadata.place());
    for (std::int64_t i = 0; i < c.head_width / 2; ++i) {
        const double wanted = plain.rope_frequency(i) / c.rope_frequency(i);
        if (!(std::abs(factors[static_cast<std::size_t>(i)] - wanted) <= 1e-3 * wanted))
            throw Refused(file.metadata.place() + ": tensor \"rope_freqs.weight\" is not Llama 3's scaling by " +
                          std::to_string(largest) + " of an original context of " +
                          std::to_string(c.rope_scaling.original_context) + ", which alone is supported");
    }
}

void read_tokens(const Metadata& metadata, Config& c) {
    // what llama.cpp takes for SentencePiece's kind where the file does not say
    const bool sentence_piece = metadata.text("tokenizer.ggml.model", "") == "llama";
    const auto token = [&](const char* name, std::int64_t absent) {
        const std::int64_t most = std::min(c.vocabulary - 1, most_token);
        return metadata.whole(std::string("tokenizer.ggml.") + name + "_token_id", absent, 0, most);
    };
    c.bos = token("bos", sentence_piece ? 1 : -1);
    c.pad = token("padding", -1);
    for (const std::int64_t id : {token("eos", sentence_piece ? 2 : -1), token("eot", -1), token("eom", -1)})
        if (id >= 0 && std::find(c.eos.begin(), c.eos.end(), id) == c.eos.end()) c.eos.push_back(id);
}

// The embedding's rows: the metadata may not say how many they are.
std::int64_t vocabulary_of(const File& file, const Config& c) {
    const auto found = file.tensors.find("token_embd.weight");
    if (found == file.tensors.end())
        throw Refused(file.metadata.place() + ": has no tensor \"token_embd.weight\"; a file of a vocabulary alone " +
                      "holds no model");
    const Extents& shape = found->second.shape;
    if (shape.size() != 2 || shape[0] > most_vocabulary || shape[1] != c.width)
        throw Refused(file.metadata.place() + ": tensor \"token_embd.weight\" has the shape " + text_of(shape) +
                      "; at most " + std::to_string(most_vocabulary) + " rows of " + std::to_string(c.width) +
                      " are needed");
    return shape[0];
}

}  // namespace

Config config_of(const File& file) {
    const Metadata& metadata = file.metadata;
    const Keys keys(metadata, architecture_of(metadata));
    refuse_other_computations(keys);
    Config c;
    c.family = metadata.text("general.architecture");
    c.qkv_bias = c.family == "qwen2";
    c.qk_norm = c.family == "qwen3";
    c.width = keys.whole("embedding_length", most_width);
    c.layers = keys.whole("block_count", most_layers);
    c.mlp_width = keys.whole("feed_forward_length", most_mlp_width);
    c.context = keys.whole("context_length", most_context);
    c.context = std::min(c.context, keys.whole("attention.sliding_window", c.context, most_context));
    c.rope_theta = keys.number("rope.freq_base", 10000);
    c.norm_epsilon = metadata.number(keys.of("attention.layer_norm_rms_epsilon"));
    read_heads(keys, c);
    c.vocabulary = vocabulary_of(file, c);
    c.tied = !file.tensors.contains("output.weight");
    check_config(c, metadata.place());
    read_rope_scaling(file, c);
    read_tokens(metadata, c);
    return c;
}

}  // namespace hone::lm::gguf
