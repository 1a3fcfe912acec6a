#include "torch_lm/model/adapter.hpp"
#include <ATen/ops/mm.h>
#include <cmath>
#include <utility>
#include "hone/inputs.h"
#include "torch_lm/model/tensors.hpp"

namespace hone::lm {
namespace {

void add_matrix(Layout& layout, const std::string& name, std::int64_t rank, std::int64_t in, std::int64_t out) {
    layout.add("base_model.model.model.layers." + name + ".lora_A.weight", {rank, in});
    layout.add("base_model.model.model.layers." + name + ".lora_B.weight", {out, rank});
}

Layout lay_out(const Config& c, std::int64_t rank) {
    Layout layout;
    for (std::int64_t l = 0; l < c.layers; ++l) {
        const std::string layer = std::to_string(l), attention = layer + ".self_attn.", mlp = layer + ".mlp.";
        add_matrix(layout, attention + "q_proj", rank, c.width, c.q_width());
        add_matrix(layout, attention + "k_proj", rank, c.width, c.kv_width());
        add_matrix(layout, attention + "v_proj", rank, c.width, c.kv_width());
        add_matrix(layout, attention + "o_proj", rank, c.q_width(), c.width);
        add_matrix(layout, mlp + "gate_proj", rank, c.width, c.mlp_width);
        add_matrix(layout, mlp + "up_proj", rank, c.width, c.mlp_width);
        add_matrix(layout, mlp + "down_proj", rank, c.mlp_width, c.width);
    }
    return layout;
}

// A part of a matrix whose rows begin at `row`, changed; returns where the next part begins.
std::int64_t change(const at::Tensor& matrix, std::int64_t row, const LowRank& by, double scale) {
    const std::int64_t rows = by.b.size(0);
    at::Tensor part = matrix.narrow(0, row, rows);
    part.copy_(part.to(at::kFloat).add_(at::mm(by.b, by.a), scale));
    return row + rows;
}

}  // namespace

Adapter::Adapter(const Config& config, std::int64_t rank, double alpha, Place place) : rank_(rank), alpha_(alpha) {
    place.bfloat16 = false;
    Layout layout = lay_out(config, rank);
    values = zeros(layout, place);
    tensors = std::move(layout.tensors);
    Views views(values, tensors);
    for (std::int64_t l = 0; l < config.layers; ++l) {
        LayerAdapter& of = layers.emplace_back();
        for (LowRank* pair : {&of.q, &of.k, &of.v, &of.out, &of.gate, &of.up, &of.down})
            pair->a = views.take(), pair->b = views.take();
    }
}

void Adapter::initialize(std::uint64_t seed) {
    std::vector<float> drawn(static_cast<std::size_t>(values.numel()));
    for (std::size_t t = 0; t < tensors.size(); t += 2) {  // Kaiming's uniform with a = sqrt(5)
        const double most = 1 / std::sqrt(static_cast<double>(tensors[t].shape[1]));
        for (std::size_t i = 0; i < tensors[t].size; ++i) {
            const hone_block bits = hone_philox(seed, i, static_cast<std::uint32_t>(t));
            drawn[tensors[t].offset + i] = static_cast<float>(most * (bits.word[0] * 0x1p-31 - 1));
        }
    }
    values.copy_(view_of(drawn.data(), {values.numel()}));
}

void Adapter::merge(const Parameters& base, Parameters& to) const {
    to.values.copy_(base.values);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const LayerAdapter& by = layers[l];
        const LayerWeights& w = to.layers[l];
        std::int64_t row = 0;
        for (const LowRank* part : {&by.q, &by.k, &by.v}) row = change(w.qkv, row, *part, scale());
        change(w.out, 0, by.out, scale());
        change(w.gate_up, change(w.gate_up, 0, by.gate, scale()), by.up, scale());
        change(w.down, 0, by.down, scale());
    }
}

}  // namespace hone::lm
