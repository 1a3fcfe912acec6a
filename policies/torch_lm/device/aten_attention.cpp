#include "torch_lm/device/aten_attention.hpp"
#include <ATen/ATen.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace hone::lm {
namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

double score_scale(const AttentionShape& shape) { return 1 / std::sqrt(static_cast<double>(shape.head_width)); }

// [n][heads][head_width] -> [sequences][kv_heads][heads that share a key][longest][head_width], zeros behind the
// shorter sequences
at::Tensor apart(const AttentionShape& shape, const Padding& p, const at::Tensor& rows) {
    at::Tensor padded =
        at::zeros({p.sequences * p.longest, rows.size(1)}, rows.options()).index_copy_(0, p.slots, rows);
    return padded.view({p.sequences, p.longest, shape.kv_heads, -1, shape.head_width})
        .permute({0, 2, 3, 1, 4})
        .contiguous();
}

at::Tensor together(const Padding& p, const at::Tensor& padded) {
    return padded.permute({0, 3, 1, 2, 4}).reshape({p.sequences * p.longest, -1}).index_select(0, p.slots);
}

struct Heads {
    at::Tensor q, k, v;
};

Heads split(const AttentionShape& shape, const Padding& p, const at::Tensor& qkv) {
    const std::int64_t width = shape.kv_heads * shape.head_width;
    const auto parts = qkv.split_with_sizes({shape.out_stride(), width, width}, 1);
    return {apart(shape, p, parts[0]), apart(shape, p, parts[1]), apart(shape, p, parts[2])};
}

at::Tensor probabilities(const AttentionShape& shape, const Padding& p, const Heads& h) {
    const at::Tensor later = at::ones({p.longest, p.longest}, h.q.options().dtype(at::kBool)).triu_(1);
    return at::softmax(at::matmul(h.q, h.k.transpose(-1, -2)).mul_(score_scale(shape)).masked_fill_(later, never), -1);
}

}  // namespace

Padding pad(const std::vector<std::int64_t>& begin, c10::Device device) {
    Padding p;
    p.sequences = static_cast<std::int64_t>(begin.size()) - 1;
    for (std::int64_t s = 0; s < p.sequences; ++s) p.longest = std::max(p.longest, begin[s + 1] - begin[s]);
    std::vector<std::int64_t> slots;
    for (std::int64_t s = 0; s < p.sequences; ++s)
        for (std::int64_t t = 0; t < begin[s + 1] - begin[s]; ++t) slots.push_back(s * p.longest + t);
    p.slots = at::tensor(slots, at::TensorOptions(at::kLong)).to(device);
    return p;
}

at::Tensor causal_attention(const AttentionShape& shape, const Padding& padding, const at::Tensor& qkv) {
    const Heads h = split(shape, padding, qkv);
    return together(padding, at::matmul(probabilities(shape, padding, h), h.v));
}

at::Tensor causal_attention_gradient(const AttentionShape& shape, const Padding& padding, const at::Tensor& qkv,
                                     const at::Tensor& d_out) {
    const Heads h = split(shape, padding, qkv);
    const at::Tensor p = probabilities(shape, padding, h), d = apart(shape, padding, d_out);
    at::Tensor ds = at::matmul(d, h.v.transpose(-1, -2));
    ds.sub_((p * ds).sum(-1, true)).mul_(p).mul_(score_scale(shape));
    const at::Tensor dk = at::matmul(ds.transpose(-1, -2), h.q).sum(2, true),
                     dv = at::matmul(p.transpose(-1, -2), d).sum(2, true);
    return at::cat({together(padding, at::matmul(ds, h.k)), together(padding, dk), together(padding, dv)}, 1);
}

at::Tensor cached_attention(const AttentionShape& shape, const at::Tensor& q, const at::Tensor& cache,
                            const at::Tensor& blocks, const at::Tensor& used) {
    const std::int64_t n = q.size(0), tokens = blocks.size(1) * block_tokens;
    const at::Tensor rows =
        cache.index_select(0, blocks.view(-1)).view({n, tokens, 2, shape.kv_heads, shape.head_width});
    const at::Tensor k = rows.select(2, 0).permute({0, 2, 3, 1}), v = rows.select(2, 1).permute({0, 2, 1, 3});
    const at::Tensor lanes = at::arange(block_tokens, used.options()),
                     unused = lanes.ge(used.unsqueeze(-1)).view({n, 1, 1, tokens});
    at::Tensor scores = at::matmul(q.view({n, shape.kv_heads, -1, shape.head_width}), k).mul_(score_scale(shape));
    return at::matmul(at::softmax(scores.masked_fill_(unused, never), -1), v).reshape({n, -1});
}

}  // namespace hone::lm
