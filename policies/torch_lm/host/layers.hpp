// layers.hpp: the layers of a Llama transformer (Touvron et al., arXiv 2302.13971) by the kernels of this folder,
// forward and backward over packed sequences.
#pragma once
#include <cstdint>
#include <vector>
#include "torch_lm/format/config.hpp"
#include "torch_lm/host/block.hpp"
#include "torch_lm/host/operations.hpp"
#include "torch_lm/model/parameters.hpp"

namespace hone::lm::host {

// The memory of a worker. Grows to what is asked for and stays.
class Activations {
public:
    struct Layer {  // [tokens][...]
        float *x, *inverse, *normed, *qkv, *attended, *log_sum, *middle, *middle_inverse, *middle_normed, *gate_up,
            *hidden;
    };
    // keep: every layer has its own memory, as the backward pass needs it; otherwise they share one layer's.
    void reserve(const Config& config, std::int64_t tokens, bool keep);
    std::vector<Layer> layers;
    // after the last layer; final norm; its result [tokens][width]
    float *last = nullptr, *inverse = nullptr, *normed = nullptr;

private:
    Block memory_;
};

class Layers {
public:
    explicit Layers(const Config& config);
    const Config& config() const { return config_; }
    // Fills a (reserved here); a.normed is the result. With a cache, keys and values go there, and rows that have
    // blocks attend to them.
    void forward(Operations& on, const Parameters& weights, const Packed& packed, Activations& a, bool keep,
                 const CacheMemory* cache = nullptr) const;
    // d_normed: [tokens][width]. Adds to gradient. `a` is of the last forward(keep = true), of the same weights.
    void backward(Operations& on, const Parameters& weights, const Activations& a, const float* d_normed,
                  Parameters& gradient, Block& scratch) const;

private:
    Config config_;
    AttentionShape shape_;
    std::vector<float> rope_;  // [context][head_width] = cosines, then sines
};

inline float* floats(const at::Tensor& of) { return of.mutable_data_ptr<float>(); }

}  // namespace hone::lm::host
