#include "torch_lm/model/model.hpp"
#include <cmath>

namespace hone::lm {
namespace {

std::vector<float> rope_table(const Config& c) {
    const std::int64_t half = c.head_width / 2;
    std::vector<float> table(static_cast<std::size_t>(c.context * c.head_width));
    for (std::int64_t position = 0; position < c.context; ++position)
        for (std::int64_t i = 0; i < half; ++i) {
            const double angle =
                static_cast<double>(position) *
                std::pow(c.rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(c.head_width));
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

void Activations::reserve(const Config& c, std::int64_t tokens, bool keep) {
    for (const bool measure : {true, false}) {
        Carver carve(measure ? nullptr : memory_.data());
        layers.clear();
        for (std::int64_t l = 0; l < c.layers; ++l)
            layers.push_back(keep || l == 0 ? carve_layer(carve, c, tokens) : layers[0]);
        last = keep ? carve.take(tokens * c.width) : layers[0].x;
        inverse = carve.take(tokens);
        normed = carve.take(tokens * c.width);
        if (measure) memory_.reserve(carve.used());
    }
}

Model::Model(const Config& config, Place place)
    : config_(config), place_(place), rope_(config.context * config.head_width, place.gpu) {
    rope_.set(rope_table(config));
}

void Model::forward(Device& device, const Parameters& weights, const Packed& packed, Activations& a, bool keep,
                    const CacheMemory* cache) const {
    const Config& c = config_;
    const std::int64_t n = packed.tokens();
    const auto epsilon = static_cast<float>(c.norm_epsilon);
    a.reserve(c, n, keep);
    device.begin(packed);
    device.embed(weights.embedding, a.layers[0].x, c.width);
    for (std::int64_t l = 0; l < c.layers; ++l) {
        const LayerWeights& w = weights.layers[l];
        const LayerActivations& y = a.layers[l];
        float* next = l + 1 < c.layers ? a.layers[l + 1].x : a.last;
        device.rms_norm(y.x, w.attention_norm, y.normed, y.inverse, c.width, epsilon);
        device.linear(y.normed, w.qkv, y.qkv, n, c.width, c.qkv_width());
        device.rotate(shape(), y.qkv, rope(), 1);
        if (cache) device.remember(shape(), *cache, l, y.qkv);
        if (packed.most_blocks) device.cached_attention(shape(), *cache, l, y.qkv, y.attended);
        else device.attention(shape(), y.qkv, y.attended, y.log_sum);
        device.copy(y.middle, y.x, n * c.width);
        device.linear(y.attended, w.out, y.middle, n, c.q_width(), c.width, true);
        device.rms_norm(y.middle, w.mlp_norm, y.middle_normed, y.middle_inverse, c.width, epsilon);
        device.linear(y.middle_normed, w.gate_up, y.gate_up, n, c.width, 2 * c.mlp_width);
        device.swiglu(y.gate_up, y.hidden, c.mlp_width);
        device.copy(next, y.middle, n * c.width);
        device.linear(y.hidden, w.down, next, n, c.mlp_width, c.width, true);
    }
    device.rms_norm(a.last, weights.norm, a.normed, a.inverse, c.width, epsilon);
}

void Model::backward(Device& device, const Parameters& weights, std::int64_t n, const Activations& a,
                     const float* d_normed, Parameters& gradient, Block& scratch) const {
    const Config& c = config_;
    float *dx, *d_norm, *d_qkv, *d_attended, *d_gate_up, *d_hidden;
    for (const bool measure : {true, false}) {
        Carver carve(measure ? nullptr : scratch.data());
        dx = carve.take(n * c.width), d_norm = carve.take(n * c.width), d_qkv = carve.take(n * c.qkv_width());
        d_attended = carve.take(n * c.q_width()), d_gate_up = carve.take(n * 2 * c.mlp_width),
        d_hidden = carve.take(n * c.mlp_width);
        if (measure) scratch.reserve(carve.used());
    }
    device.zero(dx, n * c.width);
    device.rms_norm_gradient(a.last, weights.norm, a.inverse, d_normed, dx, gradient.norm, c.width);
    for (std::int64_t l = c.layers - 1; l >= 0; --l) {
        const LayerWeights &w = weights.layers[l], &g = gradient.layers[l];
        const LayerActivations& y = a.layers[l];
        device.linear_weight_gradient(dx, y.hidden, g.down, n, c.mlp_width, c.width);
        device.linear_input_gradient(dx, w.down, d_hidden, n, c.mlp_width, c.width);
        device.swiglu_gradient(y.gate_up, d_hidden, d_gate_up, c.mlp_width);
        device.linear_weight_gradient(d_gate_up, y.middle_normed, g.gate_up, n, c.width, 2 * c.mlp_width);
        device.linear_input_gradient(d_gate_up, w.gate_up, d_norm, n, c.width, 2 * c.mlp_width);
        device.rms_norm_gradient(y.middle, w.mlp_norm, y.middle_inverse, d_norm, dx, g.mlp_norm, c.width);
        device.linear_weight_gradient(dx, y.attended, g.out, n, c.q_width(), c.width);
        device.linear_input_gradient(dx, w.out, d_attended, n, c.q_width(), c.width);
        device.attention_gradient(shape(), y.qkv, y.attended, y.log_sum, d_attended, d_qkv);
        device.rotate(shape(), d_qkv, rope(), -1);
        device.linear_weight_gradient(d_qkv, y.normed, g.qkv, n, c.width, c.qkv_width());
        device.linear_input_gradient(d_qkv, w.qkv, d_norm, n, c.width, c.qkv_width());
        device.rms_norm_gradient(y.x, w.attention_norm, y.inverse, d_norm, dx, g.attention_norm, c.width);
    }
    device.embed_gradient(dx, gradient.embedding, c.width);
}

}  // namespace hone::lm
