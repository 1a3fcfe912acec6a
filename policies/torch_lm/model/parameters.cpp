#include "torch_lm/model/parameters.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include "hone/inputs.h"
#include "torch_lm/model/tensors.hpp"

namespace hone::lm {
namespace {

void add_attention(Layout& layout, const Config& c, const std::string& layer) {
    const std::string q = layer + "self_attn.q_", k = layer + "self_attn.k_", v = layer + "self_attn.v_";
    layout.add(q + "proj.weight", {c.q_width(), c.width});
    layout.add(k + "proj.weight", {c.kv_width(), c.width});
    layout.add(v + "proj.weight", {c.kv_width(), c.width});
    if (c.qkv_bias) {
        layout.add(q + "proj.bias", {c.q_width()});
        layout.add(k + "proj.bias", {c.kv_width()});
        layout.add(v + "proj.bias", {c.kv_width()});
    }
    if (c.qk_norm) {
        layout.add(q + "norm.weight", {c.head_width});
        layout.add(k + "norm.weight", {c.head_width});
    }
    layout.add(layer + "self_attn.o_proj.weight", {c.width, c.q_width()});
}

Layout lay_out(const Config& c) {
    Layout layout;
    layout.add("model.embed_tokens.weight", {c.vocabulary, c.width});
    for (std::int64_t l = 0; l < c.layers; ++l) {
        const std::string layer = "model.layers." + std::to_string(l) + ".";
        layout.add(layer + "input_layernorm.weight", {c.width});
        add_attention(layout, c, layer);
        layout.add(layer + "post_attention_layernorm.weight", {c.width});
        layout.add(layer + "mlp.gate_proj.weight", {c.mlp_width, c.width});
        layout.add(layer + "mlp.up_proj.weight", {c.mlp_width, c.width});
        layout.add(layer + "mlp.down_proj.weight", {c.width, c.mlp_width});
    }
    layout.add("model.norm.weight", {c.width});
    if (!c.tied) layout.add("lm_head.weight", {c.vocabulary, c.width});
    return layout;
}

// Box and Muller's normal deviates, number i of a tensor of a seed
float normal(std::uint64_t seed, std::uint32_t tensor, std::uint64_t i) {
    const hone_block bits = hone_philox(seed, i, tensor);
    const double radius = std::sqrt(-2 * std::log((bits.word[0] + 1.0) * 0x1p-32)),
                 angle = 2 * std::numbers::pi * bits.word[1] * 0x1p-32;
    return static_cast<float>(radius * std::cos(angle));
}

}  // namespace

Parameters::Parameters(const Config& config, Place place) : config_(config) {
    Layout layout = lay_out(config);
    values = zeros(layout, place);
    tensors = std::move(layout.tensors);
    point();
}

Parameters::Parameters(const Parameters& other, at::Tensor copied)
    : values(std::move(copied)), tensors(other.tensors), config_(other.config_) {
    point();
}

Parameters Parameters::on(Place place) const {
    return {*this, values.to(options_of(place), /*non_blocking=*/false, /*copy=*/true)};
}

std::vector<float> Parameters::host() const {
    std::vector<float> here(size());
    view_of(here.data(), {values.numel()}).copy_(values);
    return here;
}

void Parameters::point() {
    Views views(values, tensors);
    embedding = views.take();
    layers.clear();
    for (std::int64_t l = 0; l < config_.layers; ++l) {
        LayerWeights& w = layers.emplace_back();
        w.attention_norm = views.take();
        w.qkv = views.rows(3);
        if (config_.qkv_bias) w.qkv_bias = views.rows(3);
        if (config_.qk_norm) w.q_norm = views.take(), w.k_norm = views.take();
        w.out = views.take();
        w.mlp_norm = views.take();
        w.gate_up = views.rows(2);
        w.down = views.take();
    }
    norm = views.take();
    head = config_.tied ? embedding : views.take();
}

void initialize(Parameters& parameters, const Config& config, std::uint64_t seed) {
    for (std::size_t t = 0; t < parameters.tensors.size(); ++t) {
        const NamedTensor& tensor = parameters.tensors[t];
        const std::span<float> values = parameters.of(tensor);
        if (tensor.shape.size() == 1) {
            std::fill(values.begin(), values.end(), tensor.name.ends_with("bias") ? 0.0f : 1.0f);
            continue;
        }
        const bool ends_branch = tensor.name.ends_with("o_proj.weight") || tensor.name.ends_with("down_proj.weight");
        const double deviation =
            config.init_deviation / (ends_branch ? std::sqrt(2.0 * static_cast<double>(config.layers)) : 1.0);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(deviation) * normal(seed, static_cast<std::uint32_t>(t), i);
    }
}

}  // namespace hone::lm
