#include "torch_lm/transformer/layer.hpp"
#include <ATen/ATen.h>
#include "torch_lm/transformer/attention.hpp"
#include "torch_lm/transformer/project.hpp"

namespace hone::lm {
namespace {

// Rotary positions (Su et al., arXiv 2104.09864), half-split pairs, in float32. heads: [rows][heads][head_width]
at::Tensor rotate(const TensorPass& pass, const at::Tensor& heads) {
    const at::Tensor pairs = heads.to(at::kFloat).unflatten(2, {2, -1}), a = pairs.select(2, 0), b = pairs.select(2, 1);
    return at::stack({at::addcmul(a * pass.cosine, b, pass.sine, -1), at::addcmul(b * pass.cosine, a, pass.sine)}, 2)
        .flatten(2)
        .to(heads.scalar_type());
}

// What an adapter adds to x W^T, from parts that lie end to end in W.
at::Tensor low_rank(const Layer& layer, const at::Tensor& x, std::initializer_list<const LowRank*> parts) {
    std::vector<at::Tensor> changes;
    for (const LowRank* by : parts)
        changes.push_back(project(linear(x, by->a.to(x.scalar_type())), by->b.to(x.scalar_type())));
    return at::cat(changes, 1) * layer.scale;
}

at::Tensor attention(const Config& c, const TensorPass& pass, const Layer& layer, const at::Tensor& x) {
    const LayerWeights& w = layer.weights;
    const LayerAdapter* by = layer.adapter;
    at::Tensor qkv = project(x, w.qkv, w.qkv_bias);
    if (by) qkv = qkv + low_rank(layer, x, {&by->q, &by->k, &by->v});
    qkv = qkv.view({pass.rows, -1, c.head_width});
    at::Tensor qk = qkv.narrow(1, 0, c.heads + c.kv_heads);
    const at::Tensor v = qkv.narrow(1, c.heads + c.kv_heads, c.kv_heads);
    if (c.qk_norm)
        qk = at::cat({rms_norm(qk.narrow(1, 0, c.heads), w.q_norm, c.norm_epsilon),
                      rms_norm(qk.narrow(1, c.heads, c.kv_heads), w.k_norm, c.norm_epsilon)},
                     1);
    const at::Tensor attended = attend(pass, layer.number, rotate(pass, qk), v), out = project(attended, w.out);
    return by ? out + low_rank(layer, attended, {&by->out}) : out;
}

// SwiGLU (Shazeer, arXiv 2002.05202)
at::Tensor mlp(const Layer& layer, const at::Tensor& x) {
    const LayerAdapter* by = layer.adapter;
    at::Tensor both = project(x, layer.weights.gate_up);
    if (by) both = both + low_rank(layer, x, {&by->gate, &by->up});
    const auto gate_up = both.chunk(2, 1);
    const at::Tensor hidden = at::silu(gate_up[0]) * gate_up[1], out = project(hidden, layer.weights.down);
    return by ? out + low_rank(layer, hidden, {&by->down}) : out;
}

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor unit = wide * at::rsqrt(wide.square().mean(-1, true) + epsilon);
    return unit.to(x.scalar_type()) * weight.to(x.scalar_type());
}

at::Tensor run_layer(const Config& c, const TensorPass& pass, const Layer& layer, const at::Tensor& x) {
    const LayerWeights& w = layer.weights;
    const at::Tensor middle = x + attention(c, pass, layer, rms_norm(x, w.attention_norm, c.norm_epsilon));
    return middle + mlp(layer, rms_norm(middle, w.mlp_norm, c.norm_epsilon));
}

}  // namespace hone::lm
