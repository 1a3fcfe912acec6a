// The rotary embedding of a Config: its frequencies, and how a config.json says them.
#include <cmath>
#include <numbers>
#include "hone/plugin.hpp"
#include "torch_lm/format/config_json.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

void refuse_parts(const ConfigJson& rope) {
    if (rope.has("partial_rotary_factor") && rope.number("partial_rotary_factor") != 1)
        throw Refused(rope.place() + ": \"partial_rotary_factor\" is " + rope.at("partial_rotary_factor").dump() +
                      "; only whole heads can be rotated");
}

RopeScaling read_scaling(const ConfigJson& rope, std::int64_t context) {
    const std::string type = rope.text("rope_type", rope.text("type", "default"));
    if (type == "default") return {};
    if (type != "llama3")
        throw Refused(rope.place() + ": RoPE scaling of type \"" + first_words(type) +
                      "\" is not supported (supported: default, llama3)");
    return {rope.number("factor"), rope.number("low_freq_factor"), rope.number("high_freq_factor"),
            rope.whole("original_max_position_embeddings", context, 1, most_context)};
}

}  // namespace

double Config::rope_frequency(std::int64_t i) const {
    const double plain = std::pow(rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(head_width));
    const RopeScaling& s = rope_scaling;
    if (s.factor == 1) return plain;
    // full turns of this pair within the original context
    const double turns = static_cast<double>(s.original_context) * plain / (2 * std::numbers::pi);
    if (turns < s.low_frequency_factor) return plain / s.factor;
    if (turns > s.high_frequency_factor) return plain;
    const double kept = (turns - s.low_frequency_factor) / (s.high_frequency_factor - s.low_frequency_factor);
    return (1 - kept) * plain / s.factor + kept * plain;
}

void read_rope(const ConfigJson& root, Config& config) {
    config.rope_theta = root.number("rope_theta", 10000.0);
    refuse_parts(root);
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        if (!root.has(key)) continue;
        const std::string place = root.place() + ", " + key;
        if (!root.at(key).is_object()) throw Refused(place + ": is no object");
        for (const auto& [name, value] : root.at(key).items())
            if (value.is_object())
                throw Refused(place + ": one rotary embedding a kind of layer (\"" + first_words(name) +
                              "\") is not supported");
        const ConfigJson rope(root.at(key), place);
        refuse_parts(rope);
        config.rope_theta = rope.number("rope_theta", config.rope_theta);
        config.rope_scaling = read_scaling(rope, config.context);
        return;
    }
}

// The older form, which transformers 4 and 5 read.
void write_rope(const Config& config, nlohmann::ordered_json& root) {
    root["rope_theta"] = config.rope_theta;
    const RopeScaling& s = config.rope_scaling;
    if (s.factor == 1) return;
    root["rope_scaling"] = {{"rope_type", "llama3"},
                            {"factor", s.factor},
                            {"low_freq_factor", s.low_frequency_factor},
                            {"high_freq_factor", s.high_frequency_factor},
                            {"original_max_position_embeddings", s.original_context}};
}

}  // namespace hone::lm
