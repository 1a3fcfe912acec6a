// model.hpp: the Llama transformer (Touvron et al., arXiv 2302.13971), forward and backward over packed sequences.
// Several workers, each with a Device of its own, share one Model and its weights.
#pragma once
#include <cstdint>
#include <vector>
#include "torch_lm/device/device.hpp"
#include "torch_lm/format/config.hpp"
#include "torch_lm/format/parameters.hpp"

namespace hone::lm {

struct LayerActivations {  // [tokens][...], see Model::forward
    float *x, *inverse, *normed, *qkv, *attended, *log_sum, *middle, *middle_inverse, *middle_normed, *gate_up, *hidden;
};

// The memory of a worker. Grows to what is asked for and stays.
class Activations {
public:
    explicit Activations(int gpu) : memory_(0, gpu) {}
    // keep: every layer has its own memory, as the backward pass needs it; otherwise they share one layer's.
    void reserve(const Config& config, std::int64_t tokens, bool keep);
    std::vector<LayerActivations> layers;
    // after the last layer; final norm; its result [tokens][width]
    float *last = nullptr, *inverse = nullptr, *normed = nullptr;

private:
    Block memory_;
};

class Model {
public:
    explicit Model(const Config& config, Place place = {});
    const Config& config() const { return config_; }
    Place place() const { return place_; }
    AttentionShape shape() const { return {config_.heads, config_.kv_heads, config_.head_width}; }
    const float* rope() const { return rope_.data(); }

    // Fills a (reserved here); a.normed is the result. With a cache, keys and values go there, and rows that have
    // blocks attend to them.
    void forward(Device& device, const Parameters& weights, const Packed& packed, Activations& a, bool keep,
                 const CacheMemory* cache = nullptr) const;
    // d_normed: [tokens][width]. Adds to gradient. `a` is of this device's last forward(keep = true), of the same
    // weights.
    void backward(Device& device, const Parameters& weights, std::int64_t tokens, const Activations& a,
                  const float* d_normed, Parameters& gradient, Block& scratch) const;

private:
    Config config_;
    Place place_;
    Block rope_;
};

}  // namespace hone::lm
