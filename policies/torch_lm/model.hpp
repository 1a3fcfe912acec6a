// model.hpp: the Llama transformer (Touvron et al., arXiv 2302.13971), forward and backward over packed sequences: no padding, so what a
// sequence gets does not depend on its neighbours' lengths. One thread; several workers share one Model and its weights.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>
#include "config.hpp"
#include "kernels.hpp"
#include "parameters.hpp"

namespace hone::lm {

struct Packed {  // sequences end to end; positions restart with each
    std::vector<std::int32_t> ids, positions;
    std::vector<std::int64_t> begin{0};
    void add(const std::int32_t* tokens, std::int64_t n);
    std::int64_t tokens() const { return begin.back(); }
};

struct LayerActivations {  // [tokens][...], see Model::forward
    float *x, *inverse, *normed, *qkv, *attended, *log_sum, *middle, *middle_inverse, *middle_normed, *gate_up, *hidden;
};

// The memory of a worker. Grows to what is asked for and stays.
class Activations {
public:
    // keep: every layer has its own memory, as the backward pass needs it; otherwise they share one layer's.
    void reserve(const Config& config, std::int64_t tokens, bool keep);
    std::vector<LayerActivations> layers;
    float *last = nullptr, *inverse = nullptr, *normed = nullptr;  // after the last layer; final norm; its result [tokens][width]

private:
    std::vector<float> memory_;
};

class Model {
public:
    explicit Model(const Config& config);
    const Config& config() const { return config_; }
    AttentionShape shape() const { return {config_.heads, config_.kv_heads, config_.head_width}; }
    const float* rope() const { return rope_.data(); }

    // Fills a (reserved here); a.normed is the result. on_layer(layer, qkv) sees rotated keys and values [tokens][qkv_width] as they are
    // made.
    void forward(const Parameters& weights, const Packed& packed, Activations& a, bool keep,
                 const std::function<void(std::int64_t, const float*)>& on_layer = nullptr) const;
    // d_normed: [tokens][width]. Adds to gradient. `a` is of forward(keep = true) with the same weights.
    void backward(const Parameters& weights, const Packed& packed, const Activations& a, const float* d_normed, Parameters& gradient,
                  std::vector<float>& scratch) const;

private:
    void attend(const Packed& packed, const LayerActivations& a, std::vector<float>& scratch) const;
    Config config_;
    std::vector<float> rope_;
};

}  // namespace hone::lm
