#include "torch_lm/transformer/layer.hpp"
#include <ATen/ATen.h>
#include "torch_lm/transformer/attention.hpp"

namespace hone::lm {
namespace {

// Rotary positions (Su et al., arXiv 2104.09864), half-split pairs, in float32. heads: [rows][heads][head_width]
at::Tensor rotate(const TensorPass& pass, const at::Tensor& heads) {
    const at::Tensor wide = heads.to(at::kFloat);
    const std::int64_t half = heads.size(2) / 2;
    const at::Tensor a = wide.narrow(2, 0, half), b = wide.narrow(2, half, half);
    return at::cat({a * pass.cosine - b * pass.sine, b * pass.cosine + a * pass.sine}, 2).to(heads.scalar_type());
}

at::Tensor attention(const Config& c, const TensorPass& pass, std::int64_t number, const LayerWeights& w,
                     const at::Tensor& x) {
    const at::Tensor qkv = at::linear(x, w.qkv, w.qkv_bias);
    const auto parts = qkv.split_with_sizes({c.q_width(), c.kv_width(), c.kv_width()}, 1);
    at::Tensor q = parts[0].view({pass.rows, c.heads, c.head_width}),
               k = parts[1].view({pass.rows, c.kv_heads, c.head_width});
    const at::Tensor v = parts[2].view({pass.rows, c.kv_heads, c.head_width});
    if (c.qk_norm) q = rms_norm(q, w.q_norm, c.norm_epsilon), k = rms_norm(k, w.k_norm, c.norm_epsilon);
    return at::linear(attend(pass, number, rotate(pass, q), rotate(pass, k), v), w.out);
}

// SwiGLU (Shazeer, arXiv 2002.05202)
at::Tensor mlp(const LayerWeights& w, const at::Tensor& x) {
    const auto gate_up = at::linear(x, w.gate_up).chunk(2, 1);
    return at::linear(at::silu(gate_up[0]) * gate_up[1], w.down);
}

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor unit = wide * at::rsqrt(wide.square().mean(-1, true) + epsilon);
    return weight * unit.to(x.scalar_type());
}

at::Tensor layer(const Config& c, const TensorPass& pass, std::int64_t number, const LayerWeights& w,
                 const at::Tensor& x) {
    const at::Tensor middle =
        x + attention(c, pass, number, w, rms_norm(x, w.attention_norm, c.norm_epsilon));
    return middle + mlp(w, rms_norm(middle, w.mlp_norm, c.norm_epsilon));
}

}  // namespace hone::lm
