#include "model.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "gemm.hpp"

namespace hone::lm {
namespace {

std::vector<float> rope_table(const Config& c) {
    const std::int64_t half = c.head_width / 2;
    std::vector<float> table(static_cast<std::size_t>(c.context * c.head_width));
    for (std::int64_t position = 0; position < c.context; ++position)
        for (std::int64_t i = 0; i < half; ++i) {
            const double angle =
                static_cast<double>(position) * std::pow(c.rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(c.head_width));
            table[position * c.head_width + i] = static_cast<float>(std::cos(angle));
            table[position * c.head_width + half + i] = static_cast<float>(std::sin(angle));
        }
    return table;
}

// Hands out stretches of one block of memory, each at a multiple of 16 floats.
class Carver {
public:
    explicit Carver(float* memory) : memory_(memory) {}
    float* take(std::int64_t floats) {
        float* at = memory_ ? memory_ + used_ : nullptr;
        used_ += (floats + 15) / 16 * 16;
        return at;
    }
    std::size_t used() const { return static_cast<std::size_t>(used_); }

private:
    float* memory_;
    std::int64_t used_ = 0;
};

LayerActivations carve_layer(Carver& carve, const Config& c, std::int64_t n) {
    LayerActivations a;
    a.x = carve.take(n * c.width);
    a.inverse = carve.take(n);
    a.normed = carve.take(n * c.width);
    a.qkv = carve.take(n * c.qkv_width());
    a.attended = carve.take(n * c.q_width());
    a.log_sum = carve.take(n * c.heads);
    a.middle = carve.take(n * c.width);
    a.middle_inverse = carve.take(n);
    a.middle_normed = carve.take(n * c.width);
    a.gate_up = carve.take(n * 2 * c.mlp_width);
    a.hidden = carve.take(n * c.mlp_width);
    return a;
}

}  // namespace

void Packed::add(const std::int32_t* tokens, std::int64_t n) {
    ids.insert(ids.end(), tokens, tokens + n);
    for (std::int64_t i = 0; i < n; ++i) positions.push_back(static_cast<std::int32_t>(i));
    begin.push_back(begin.back() + n);
}

void Activations::reserve(const Config& c, std::int64_t tokens, bool keep) {
    for (const bool measure : {true, false}) {
        Carver carve(measure ? nullptr : memory_.data());
        layers.clear();
        for (std::int64_t l = 0; l < c.layers; ++l) layers.push_back(keep || l == 0 ? carve_layer(carve, c, tokens) : layers[0]);
        last = keep ? carve.take(tokens * c.width) : layers[0].x;
        inverse = carve.take(tokens);
        normed = carve.take(tokens * c.width);
        if (measure && memory_.size() < carve.used()) memory_.resize(carve.used());
    }
}

Model::Model(const Config& config) : config_(config), rope_(rope_table(config)) {}

void Model::attend(const Packed& packed, const LayerActivations& a, std::vector<float>& scratch) const {
    for (std::size_t s = 0; s + 1 < packed.begin.size(); ++s) {
        const std::int64_t at = packed.begin[s], n = packed.begin[s + 1] - at;
        scratch.resize(std::max(scratch.size(), static_cast<std::size_t>(attention_scratch(shape(), n))));
        attention(shape(), a.qkv + at * config_.qkv_width(), a.attended + at * config_.q_width(), a.log_sum + at * config_.heads,
                  scratch.data(), n);
    }
}

void Model::forward(const Parameters& weights, const Packed& packed, Activations& a, bool keep,
                    const std::function<void(std::int64_t, const float*)>& on_layer) const {
    const Config& c = config_;
    const std::int64_t n = packed.tokens();
    const auto epsilon = static_cast<float>(c.norm_epsilon);
    std::vector<float> scratch;
    a.reserve(c, n, keep);
    for (std::int64_t t = 0; t < n; ++t) std::copy_n(weights.embedding + packed.ids[t] * c.width, c.width, a.layers[0].x + t * c.width);
    for (std::int64_t l = 0; l < c.layers; ++l) {
        const LayerWeights& w = weights.layers[l];
        const LayerActivations& y = a.layers[l];
        float* next = l + 1 < c.layers ? a.layers[l + 1].x : a.last;
        rms_norm(y.x, w.attention_norm, y.normed, y.inverse, n, c.width, epsilon);
        linear(y.normed, w.qkv, y.qkv, n, c.width, c.qkv_width());
        rotate(y.qkv, c.qkv_width(), c.heads + c.kv_heads, c.head_width, packed.positions.data(), rope(), n, 1);
        if (on_layer) on_layer(l, y.qkv);
        attend(packed, y, scratch);
        std::copy_n(y.x, n * c.width, y.middle);
        linear(y.attended, w.out, y.middle, n, c.q_width(), c.width, true);
        rms_norm(y.middle, w.mlp_norm, y.middle_normed, y.middle_inverse, n, c.width, epsilon);
        linear(y.middle_normed, w.gate_up, y.gate_up, n, c.width, 2 * c.mlp_width);
        swiglu(y.gate_up, y.hidden, n, c.mlp_width);
        std::copy_n(y.middle, n * c.width, next);
        linear(y.hidden, w.down, next, n, c.mlp_width, c.width, true);
    }
    rms_norm(a.last, weights.norm, a.normed, a.inverse, n, c.width, epsilon);
}

void Model::backward(const Parameters& weights, const Packed& packed, const Activations& a, const float* d_normed, Parameters& gradient,
                     std::vector<float>& scratch) const {
    const Config& c = config_;
    const std::int64_t n = packed.tokens();
    float *dx, *d_norm, *d_qkv, *d_attended, *d_gate_up, *d_hidden, *attention_memory;
    for (const bool measure : {true, false}) {
        Carver carve(measure ? nullptr : scratch.data());
        dx = carve.take(n * c.width), d_norm = carve.take(n * c.width), d_qkv = carve.take(n * c.qkv_width());
        d_attended = carve.take(n * c.q_width()), d_gate_up = carve.take(n * 2 * c.mlp_width), d_hidden = carve.take(n * c.mlp_width);
        attention_memory = carve.take(attention_scratch(shape(), n));
        if (measure && scratch.size() < carve.used()) scratch.resize(carve.used());
    }
    std::fill_n(dx, n * c.width, 0.0f);
    rms_norm_gradient(a.last, weights.norm, a.inverse, d_normed, dx, gradient.norm, n, c.width);
    for (std::int64_t l = c.layers - 1; l >= 0; --l) {
        const LayerWeights &w = weights.layers[l], &g = gradient.layers[l];
        const LayerActivations& y = a.layers[l];
        linear_weight_gradient(dx, y.hidden, g.down, n, c.mlp_width, c.width);
        linear_input_gradient(dx, w.down, d_hidden, n, c.mlp_width, c.width);
        swiglu_gradient(y.gate_up, d_hidden, d_gate_up, n, c.mlp_width);
        linear_weight_gradient(d_gate_up, y.middle_normed, g.gate_up, n, c.width, 2 * c.mlp_width);
        linear_input_gradient(d_gate_up, w.gate_up, d_norm, n, c.width, 2 * c.mlp_width);
        rms_norm_gradient(y.middle, w.mlp_norm, y.middle_inverse, d_norm, dx, g.mlp_norm, n, c.width);
        linear_weight_gradient(dx, y.attended, g.out, n, c.q_width(), c.width);
        linear_input_gradient(dx, w.out, d_attended, n, c.q_width(), c.width);
        for (std::size_t s = 0; s + 1 < packed.begin.size(); ++s) {
            const std::int64_t at = packed.begin[s];
            attention_gradient(shape(), y.qkv + at * c.qkv_width(), y.attended + at * c.q_width(), y.log_sum + at * c.heads,
                               d_attended + at * c.q_width(), d_qkv + at * c.qkv_width(), attention_memory, packed.begin[s + 1] - at);
        }
        rotate(d_qkv, c.qkv_width(), c.heads + c.kv_heads, c.head_width, packed.positions.data(), rope(), n, -1);
        linear_weight_gradient(d_qkv, y.normed, g.qkv, n, c.width, c.qkv_width());
        linear_input_gradient(d_qkv, w.qkv, d_norm, n, c.width, c.qkv_width());
        rms_norm_gradient(y.x, w.attention_norm, y.inverse, d_norm, dx, g.attention_norm, n, c.width);
    }
    for (std::int64_t t = 0; t < n; ++t) add_to(gradient.embedding + packed.ids[t] * c.width, dx + t * c.width, c.width);
}

}  // namespace hone::lm
