// parameters.hpp: all weights of a model in one block of floats, so that the optimiser, the norm and the copy are
// single passes. Gradients and optimiser moments have the same layout. q, k and v of a layer lie together and so do
// gate and up: each is one matrix product.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include "torch_lm/format/config.hpp"
#include "torch_lm/model/block.hpp"

namespace hone::lm {

struct NamedTensor {
    std::string name;  // as in a Hugging Face file
    std::vector<std::int64_t> shape;
    std::size_t offset, size;
};

struct LayerWeights {  // matrices are [out, in]
    float *attention_norm, *qkv, *out, *mlp_norm, *gate_up, *down;
};

class Parameters {
public:
    explicit Parameters(const Config& config, int gpu = on_host);  // zeros
    Parameters(const Parameters& other) : Parameters(other, other.values) {}
    Parameters& operator=(const Parameters& other) { return *this = Parameters(other); }
    Parameters(Parameters&&) = default;  // addresses stay
    Parameters& operator=(Parameters&&) = default;
    Parameters on(int gpu) const;  // a copy there
    Block values;
    std::vector<NamedTensor> tensors;
    std::vector<LayerWeights> layers;
    float *embedding, *norm, *head;  // head: [vocabulary, width], the embedding itself if tied
    // on the host
    std::span<float> of(const NamedTensor& tensor) { return {values.data() + tensor.offset, tensor.size}; }
    std::span<const float> of(const NamedTensor& tensor) const { return {values.data() + tensor.offset, tensor.size}; }

private:
    Parameters(const Parameters& other, Block copied);
    void point();  // layers, embedding, norm, head into values
    Config config_;
};

// Norms 1, matrices normal with config.init_deviation, those that end a residual branch divided by sqrt(2 layers)
// (GPT-2).
void initialize(Parameters& parameters, const Config& config, std::uint64_t seed);

}  // namespace hone::lm
