// parameters.hpp: all weights of a model. Gradients and optimiser moments have the same layout. q, k and v of a layer
// lie together and so do gate and up: each is one matrix product.
#pragma once
#include <span>
#include "torch_lm/format/config.hpp"
#include "torch_lm/model/named_values.hpp"

namespace hone::lm {

// Views. Matrices are [out, in]; those that a family lacks are undefined.
struct LayerWeights {
    at::Tensor attention_norm, qkv, qkv_bias, q_norm, k_norm, out, mlp_norm, gate_up, down;
};

class Parameters {
public:
    explicit Parameters(const Config& config, Place place = {});  // zeros
    Parameters(const Parameters& other) : Parameters(other, other.values.clone()) {}
    Parameters& operator=(const Parameters& other) { return *this = Parameters(other); }
    Parameters(Parameters&&) = default;  // addresses stay
    Parameters& operator=(Parameters&&) = default;
    Parameters on(Place place) const;  // a copy there
    std::size_t size() const { return static_cast<std::size_t>(values.numel()); }

    at::Tensor values;  // [size]
    std::vector<NamedTensor> tensors;
    std::vector<LayerWeights> layers;
    at::Tensor embedding, norm, head;  // head: [vocabulary, width], the embedding itself if tied

    std::vector<float> host() const;  // a copy
    // float32 on the host
    std::span<float> of(const NamedTensor& tensor) { return all().subspan(tensor.offset, tensor.size); }
    std::span<const float> of(const NamedTensor& tensor) const { return all().subspan(tensor.offset, tensor.size); }
    std::span<float> all() { return {values.mutable_data_ptr<float>(), size()}; }
    std::span<const float> all() const { return {values.const_data_ptr<float>(), size()}; }

private:
    Parameters(const Parameters& other, at::Tensor copied);
    void point();  // layers, embedding, norm, head into values
    Config config_;
};

// float32 on the host: norms 1, biases 0, matrices normal with config.init_deviation, those that end a residual branch
// divided by sqrt(2 layers) (GPT-2).
void initialize(Parameters& parameters, const Config& config, std::uint64_t seed);

}  // namespace hone::lm
