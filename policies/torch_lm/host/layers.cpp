#include "torch_lm/host/layers.hpp"
#include <algorithm>
#include <cmath>
#include "torch_lm/host/gemm.hpp"

namespace hone::lm::host {
namespace {

std::vector<float> rope_table(const Config& c) {
    const std::int64_t half = c.head_width / 2;
    std::vector<float> table(static_cast<std::size_t>(c.context * c.head_width));
    for (std::int64_t position = 0; position < c.context; ++position)
        for (std::int64_t i = 0; i < half; ++i) {
            const double angle = static_cast<double>(position) * c.rope_frequency(i);
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

Activations::Layer carve_layer(Carver& carve, const Config& c, std::int64_t n) {
    Activations::Layer a;
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

Layers::Layers(const Config& config)
    : config_(config), shape_{config.heads, config.kv_heads, config.head_width}, rope_(rope_table(config)) {}

void Layers::forward(Operations& on, const Parameters& weights, const Packed& packed, Activations& a, bool keep,
                     const CacheMemory* cache) const {
    const Config& c = config_;
    const std::int64_t n = packed.tokens();
    const auto epsilon = static_cast<float>(c.norm_epsilon);
    a.reserve(c, n, keep);
    on.begin(packed);
    on.embed(floats(weights.embedding), a.layers[0].x, c.width);
    for (std::int64_t l = 0; l < c.layers; ++l) {
        const LayerWeights& w = weights.layers[l];
        const Activations::Layer& y = a.layers[l];
        float* next = l + 1 < c.layers ? a.layers[l + 1].x : a.last;
        rms_norm(y.x, floats(w.attention_norm), y.normed, y.inverse, n, c.width, epsilon);
        linear(y.normed, floats(w.qkv), y.qkv, n, c.width, c.qkv_width());
        on.rotate(shape_, y.qkv, rope_.data(), 1);
        if (cache) on.remember(shape_, *cache, l, y.qkv);
        if (packed.most_blocks) on.cached_attention(shape_, *cache, l, y.qkv, y.attended, 0, n);
        else on.attention(shape_, y.qkv, y.attended, y.log_sum);
        std::copy_n(y.x, n * c.width, y.middle);
        linear(y.attended, floats(w.out), y.middle, n, c.q_width(), c.width, true);
        rms_norm(y.middle, floats(w.mlp_norm), y.middle_normed, y.middle_inverse, n, c.width, epsilon);
        linear(y.middle_normed, floats(w.gate_up), y.gate_up, n, c.width, 2 * c.mlp_width);
        swiglu(y.gate_up, y.hidden, n, c.mlp_width);
        std::copy_n(y.middle, n * c.width, next);
        linear(y.hidden, floats(w.down), next, n, c.mlp_width, c.width, true);
    }
    rms_norm(a.last, floats(weights.norm), a.normed, a.inverse, n, c.width, epsilon);
}

void Layers::backward(Operations& on, const Parameters& weights, const Activations& a, const float* d_normed,
                      Parameters& gradient, Block& scratch) const {
    const Config& c = config_;
    const std::int64_t n = on.rows();
    float *dx, *d_norm, *d_qkv, *d_attended, *d_gate_up, *d_hidden;
    for (const bool measure : {true, false}) {
        Carver carve(measure ? nullptr : scratch.data());
        dx = carve.take(n * c.width), d_norm = carve.take(n * c.width), d_qkv = carve.take(n * c.qkv_width());
        d_attended = carve.take(n * c.q_width()), d_gate_up = carve.take(n * 2 * c.mlp_width),
        d_hidden = carve.take(n * c.mlp_width);
        if (measure) scratch.reserve(carve.used());
    }
    std::fill_n(dx, n * c.width, 0.0f);
    rms_norm_gradient(a.last, floats(weights.norm), a.inverse, d_normed, dx, floats(gradient.norm), n, c.width);
    for (std::int64_t l = c.layers - 1; l >= 0; --l) {
        const LayerWeights &w = weights.layers[l], &g = gradient.layers[l];
        const Activations::Layer& y = a.layers[l];
        linear_weight_gradient(dx, y.hidden, floats(g.down), n, c.mlp_width, c.width);
        linear_input_gradient(dx, floats(w.down), d_hidden, n, c.mlp_width, c.width);
        swiglu_gradient(y.gate_up, d_hidden, d_gate_up, n, c.mlp_width);
        linear_weight_gradient(d_gate_up, y.middle_normed, floats(g.gate_up), n, c.width, 2 * c.mlp_width);
        linear_input_gradient(d_gate_up, floats(w.gate_up), d_norm, n, c.width, 2 * c.mlp_width);
        rms_norm_gradient(y.middle, floats(w.mlp_norm), y.middle_inverse, d_norm, dx, floats(g.mlp_norm), n, c.width);
        linear_weight_gradient(dx, y.attended, floats(g.out), n, c.q_width(), c.width);
        linear_input_gradient(dx, floats(w.out), d_attended, n, c.q_width(), c.width);
        on.attention_gradient(shape_, y.qkv, y.attended, y.log_sum, d_attended, d_qkv);
        on.rotate(shape_, d_qkv, rope_.data(), -1);
        linear_weight_gradient(d_qkv, y.normed, floats(g.qkv), n, c.width, c.qkv_width());
        linear_input_gradient(d_qkv, floats(w.qkv), d_norm, n, c.width, c.qkv_width());
        rms_norm_gradient(y.x, floats(w.attention_norm), y.inverse, d_norm, dx, floats(g.attention_norm), n, c.width);
    }
    on.embed_gradient(dx, floats(gradient.embedding), c.width);
}

}  // namespace hone::lm::host
