#include "torch_lm/transformer/layer.hpp"
#include <ATen/ATen.h>
#include "torch_lm/transformer/attention.hpp"
#include "torch_lm/transformer/operations.hpp"
#include "torch_lm/transformer/project.hpp"

namespace hone::lm {
namespace {

// What an adapter adds to x W^T, from parts that lie end to end in W.
at::Tensor low_rank(const Layer& layer, const at::Tensor& x, std::initializer_list<const LowRank*> parts) {
    std::vector<at::Tensor> changes;
    for (const LowRank* by : parts)
        changes.push_back(project(linear(x, by->a.to(x.scalar_type())), by->b.to(x.scalar_type())));
    return at::cat(changes, 1) * layer.scale;
}

// Qwen3's norms of the heads of q and k.
at::Tensor normed_heads(const Config& c, const LayerWeights& w, const at::Tensor& qkv) {
    const auto parts = qkv.split_with_sizes({c.heads, c.kv_heads, c.kv_heads}, 1);
    return at::cat(
        {rms_norm(parts[0], w.q_norm, c.norm_epsilon), rms_norm(parts[1], w.k_norm, c.norm_epsilon), parts[2]}, 1);
}

at::Tensor attention(const Config& c, const TensorPass& pass, const Layer& layer, const at::Tensor& x) {
    const LayerWeights& w = layer.weights;
    const LayerAdapter* by = layer.adapter;
    at::Tensor qkv = project(x, w.qkv, w.qkv_bias);
    if (by) qkv = qkv + low_rank(layer, x, {&by->q, &by->k, &by->v});
    qkv = qkv.view({pass.rows, -1, c.head_width});
    if (c.qk_norm) qkv = normed_heads(c, w, qkv);
    const at::Tensor attended = attend(pass, c, layer.number, qkv), out = project(attended, w.out);
    return by ? out + low_rank(layer, attended, {&by->out}) : out;
}

at::Tensor mlp(const TensorPass& pass, const Layer& layer, const at::Tensor& x) {
    const LayerAdapter* by = layer.adapter;
    at::Tensor gate_up = project(x, layer.weights.gate_up);
    if (by) gate_up = gate_up + low_rank(layer, x, {&by->gate, &by->up});
    const at::Tensor hidden = swiglu(pass, gate_up), out = project(hidden, layer.weights.down);
    return by ? out + low_rank(layer, hidden, {&by->down}) : out;
}

}  // namespace

at::Tensor run_layer(const Config& c, const TensorPass& pass, const Layer& layer, const at::Tensor& x) {
    const LayerWeights& w = layer.weights;
    const Normed in = add_norm(pass, x, {}, w.attention_norm, c.norm_epsilon);
    const Normed middle = add_norm(pass, in.x, attention(c, pass, layer, in.y), w.mlp_norm, c.norm_epsilon);
    return middle.x + mlp(pass, layer, middle.y);
}

}  // namespace hone::lm
