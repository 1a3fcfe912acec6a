// layer.hpp: the transformer of Llama's kind (Touvron et al., arXiv 2302.13971; Qwen3's norms of q and k, Qwen2's
// biases), one layer at a time, differentiable.
#pragma once
#include "torch_lm/model/adapter.hpp"
#include "torch_lm/model/parameters.hpp"
#include "torch_lm/transformer/pass.hpp"

namespace hone::lm {

struct Layer {
    std::int64_t number;
    const LayerWeights& weights;
    const LayerAdapter* adapter = nullptr;
    double scale = 1;  // of the adapter
};
// x: [rows][width], the residual stream before the layer; returns the one behind it.
at::Tensor run_layer(const Config& config, const TensorPass& pass, const Layer& layer, const at::Tensor& x);

}  // namespace hone::lm
