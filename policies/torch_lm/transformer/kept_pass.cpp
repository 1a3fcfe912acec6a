#include "torch_lm/transformer/kept_pass.hpp"
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include "torch_lm/model/tensors.hpp"
#include "torch_lm/transformer/operations.hpp"

namespace hone::lm {
namespace {

at::Tensor leaf(const at::Tensor& of) { return of.detach().requires_grad_(); }

template <class Body> void each_weight(LayerWeights& w, const Body& body) {
    for (auto* tensor :
         {&w.attention_norm, &w.qkv, &w.qkv_bias, &w.q_norm, &w.k_norm, &w.out, &w.mlp_norm, &w.gate_up, &w.down})
        if (tensor->defined()) body(*tensor);
}

template <class Body> void each_weight(LayerAdapter& by, const Body& body) {
    for (LowRank* pair : {&by.q, &by.k, &by.v, &by.out, &by.gate, &by.up, &by.down}) body(pair->a), body(pair->b);
}

}  // namespace

// Of each layer: what the operators of run_layer save, counted in its text; on a GPU padding included.
double kept_bytes(const Config& c, Place place) {
    const bool kernels = place.gpu != on_host && gpu::misfit(c).empty();
    const std::int64_t numbers = kernels ? 4 * c.width + 2 * c.qkv_width() + 2 * c.q_width() + 3 * c.mlp_width
                                         : 8 * c.width + 3 * c.qkv_width() + 2 * c.q_width() + 5 * c.mlp_width;
    const double size = activations_of(place).dtype() == at::kFloat ? 4 : 2;
    return size * static_cast<double>(numbers * c.layers);
}

KeptPass::Segment KeptPass::layer_segment(std::size_t number, const at::Tensor& in) const {
    LayerWeights w = weights_->layers[number];
    LayerAdapter by = adapter_ ? adapter_->layers[number] : LayerAdapter();
    Segment segment;
    segment.in = leaf(in);
    const auto learn = [&](at::Tensor& tensor) { segment.leaves.push_back(tensor = leaf(tensor)); };
    if (adapter_) each_weight(by, learn);
    else each_weight(w, learn);
    const Layer layer{static_cast<std::int64_t>(number), w, adapter_ ? &by : nullptr, adapter_ ? adapter_->scale() : 1};
    segment.out = run_layer(model_.config, pass_, layer, segment.in);
    return segment;
}

at::Tensor KeptPass::forward(const Parameters& weights, const Adapter* adapter, TensorPass pass,
                             const at::Tensor& asked) {
    weights_ = &weights, adapter_ = adapter, pass_ = std::move(pass);
    layers_.clear(), inputs_.clear();
    const bool again = kept_bytes(model_.config, model_.place) * static_cast<double>(pass_.rows) > model_.most_kept;
    at::Tensor x = weights.embedding.detach().index_select(0, pass_.ids).to(activations_of(model_.place));
    for (std::size_t l = 0; l < weights.layers.size(); ++l) {
        const c10::AutoGradMode grad(!again);
        if (again) inputs_.push_back(x);
        Segment segment = layer_segment(l, x);
        x = segment.out.detach();
        if (!again) layers_.push_back(std::move(segment));
    }
    const c10::AutoGradMode grad(true);
    at::Tensor norm = weights.norm;
    final_ = {leaf(x), {}, {}};
    if (!adapter) final_.leaves = {norm = leaf(norm)};
    final_.out = rms_norm(final_.in.index_select(0, asked), norm, model_.config.norm_epsilon);
    return final_.out.detach();
}

at::Tensor KeptPass::layer_gradient(std::size_t number, const at::Tensor& d_out, Gradient& gradient) {
    Segment segment = inputs_.empty() ? std::move(layers_[number]) : layer_segment(number, inputs_[number]);
    segment.out.backward(d_out);
    const at::NoGradGuard no_gradients;
    auto next = segment.leaves.begin();
    const auto add = [&](at::Tensor& sum) { sum.add_(next++->grad()); };
    if (adapter_) each_weight(gradient.adapter->layers[number], add);
    else each_weight(gradient.weights->layers[number], add);
    return segment.in.grad();
}

void KeptPass::backward(const at::Tensor& d_outputs, Gradient& gradient) {
    const c10::AutoGradMode grad(true);
    final_.out.backward(d_outputs);
    at::Tensor d = final_.in.grad();
    for (std::size_t l = weights_->layers.size(); l-- > 0;) d = layer_gradient(l, d, gradient);
    const at::NoGradGuard no_gradients;
    if (!adapter_) {
        gradient.weights->norm.add_(final_.leaves[0].grad());
        gradient.weights->embedding.index_put_({pass_.ids}, d.to(at::kFloat), /*accumulate=*/true);
    }
    layers_.clear(), inputs_.clear(), final_ = {};
}

}  // namespace hone::lm
