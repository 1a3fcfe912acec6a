#include "torch_lm/format/parameters.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include "hone/inputs.h"

namespace hone::lm {
namespace {

class Layout {
public:
    explicit Layout(std::vector<NamedTensor>& tensors) : tensors_(tensors) {}
    void add(const std::string& name, std::vector<std::int64_t> shape) {
        std::size_t size = 1;
        for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
        tensors_.push_back({name + ".weight", std::move(shape), end_, size});
        end_ += size;
    }
    std::size_t end() const { return end_; }

private:
    std::vector<NamedTensor>& tensors_;
    std::size_t end_ = 0;
};

std::size_t lay_out(const Config& c, std::vector<NamedTensor>& tensors) {
    Layout layout(tensors);
    layout.add("model.embed_tokens", {c.vocabulary, c.width});
    for (std::int64_t l = 0; l < c.layers; ++l) {
        const std::string layer = "model.layers." + std::to_string(l) + ".";
        layout.add(layer + "input_layernorm", {c.width});
        layout.add(layer + "self_attn.q_proj", {c.q_width(), c.width});
        layout.add(layer + "self_attn.k_proj", {c.kv_width(), c.width});
        layout.add(layer + "self_attn.v_proj", {c.kv_width(), c.width});
        layout.add(layer + "self_attn.o_proj", {c.width, c.q_width()});
        layout.add(layer + "post_attention_layernorm", {c.width});
        layout.add(layer + "mlp.gate_proj", {c.mlp_width, c.width});
        layout.add(layer + "mlp.up_proj", {c.mlp_width, c.width});
        layout.add(layer + "mlp.down_proj", {c.width, c.mlp_width});
    }
    layout.add("model.norm", {c.width});
    if (!c.tied) layout.add("lm_head", {c.vocabulary, c.width});
    return layout.end();
}

// Box and Muller's normal deviates, number i of a tensor of a seed
float normal(std::uint64_t seed, std::uint32_t tensor, std::uint64_t i) {
    const hone_block bits = hone_philox(seed, i, tensor);
    const double radius = std::sqrt(-2 * std::log((bits.word[0] + 1.0) * 0x1p-32)),
                 angle = 2 * std::numbers::pi * bits.word[1] * 0x1p-32;
    return static_cast<float>(radius * std::cos(angle));
}

}  // namespace

Parameters::Parameters(const Config& config, int gpu) : config_(config) {
    values = Block(lay_out(config, tensors), gpu);
    point();
}

Parameters::Parameters(const Parameters& other, Block copied)
    : values(std::move(copied)), tensors(other.tensors), config_(other.config_) {
    point();
}

Parameters Parameters::on(int gpu) const { return {*this, values.on(gpu)}; }

void Parameters::point() {
    const auto at = [&](std::size_t tensor) { return values.data() + tensors[tensor].offset; };
    embedding = at(0);
    layers.clear();
    for (std::int64_t l = 0; l < config_.layers; ++l) {
        const std::size_t first = 1 + 9 * static_cast<std::size_t>(l);
        layers.push_back({at(first), at(first + 1), at(first + 4), at(first + 5), at(first + 6), at(first + 8)});
    }
    norm = at(1 + 9 * static_cast<std::size_t>(config_.layers));
    head = config_.tied ? embedding : at(tensors.size() - 1);
}

void initialize(Parameters& parameters, const Config& config, std::uint64_t seed) {
    for (std::size_t t = 0; t < parameters.tensors.size(); ++t) {
        const NamedTensor& tensor = parameters.tensors[t];
        const std::span<float> values = parameters.of(tensor);
        if (tensor.shape.size() == 1) {
            std::fill(values.begin(), values.end(), 1.0f);
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
