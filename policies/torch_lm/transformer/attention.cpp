#include "torch_lm/transformer/attention.hpp"
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <cmath>
#include <limits>
#include "torch_lm/host/operations.hpp"

namespace hone::lm {
namespace {

// [rows][heads][width] -> [sequences][heads][longest][width]; zeros behind the shorter sequences
at::Tensor apart(const TensorPass& pass, const at::Tensor& rows) {
    const at::Tensor flat = pass.padded.defined()
                                ? at::zeros({pass.sequences * pass.longest, rows.size(1), rows.size(2)}, rows.options())
                                      .index_copy(0, pass.padded, rows)
                                : rows;
    return flat.view({pass.sequences, pass.longest, rows.size(1), rows.size(2)}).transpose(1, 2);
}

at::Tensor together(const TensorPass& pass, const at::Tensor& heads) {
    const at::Tensor flat = heads.transpose(1, 2).reshape({pass.sequences * pass.longest, -1});
    return pass.padded.defined() ? flat.index_select(0, pass.padded) : flat;
}

// What lies behind a sequence's end comes later than all its rows: the causal mask hides it.
at::Tensor over_sequences(const TensorPass& pass, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return together(pass, at::scaled_dot_product_attention(apart(pass, q), apart(pass, k), apart(pass, v), {}, 0,
                                                           /*is_causal=*/true, std::nullopt, /*enable_gqa=*/true));
}

// One new token a row. Queries that share a key head are rows of one product.
at::Tensor over_cache(const TensorPass& pass, const at::Tensor& cache, const at::Tensor& q) {
    const std::int64_t n = q.size(0), width = q.size(2), kv_heads = cache.size(3);
    const at::Tensor rows = cache.index_select(0, pass.blocks.view(-1)).view({n, -1, 2, kv_heads, width});
    const at::Tensor k = rows.select(2, 0).permute({0, 2, 3, 1}), v = rows.select(2, 1).permute({0, 2, 1, 3});
    at::Tensor scores = at::matmul(q.view({n, kv_heads, -1, width}), k).to(at::kFloat);
    scores.mul_(1 / std::sqrt(static_cast<double>(width)))
        .masked_fill_(pass.unused, -std::numeric_limits<float>::infinity());
    return at::matmul(at::softmax(scores, -1).to(v.scalar_type()), v).reshape({n, -1});
}

at::Tensor over_host_cache(const TensorPass& pass, const Config& c, std::int64_t layer, const at::Tensor& qkv) {
    const host::AttentionShape shape{c.heads, c.kv_heads, c.head_width};
    const host::CacheMemory cache{pass.cache.mutable_data_ptr<float>(), pass.cache.size(1)};
    const float* rows = qkv.const_data_ptr<float>();
    host::Operations on;
    on.begin(*pass.packed);
    on.remember(shape, cache, layer, rows);
    if (!pass.packed->most_blocks) return {};
    at::Tensor out = at::empty({pass.rows, shape.out_stride()}, qkv.options());
    float* to = out.mutable_data_ptr<float>();
    at::parallel_for(0, pass.rows, 1, [&](std::int64_t first, std::int64_t last) {
        on.cached_attention(shape, cache, layer, rows, to, first, last);
    });
    return out;
}

at::Tensor over_torch_cache(const TensorPass& pass, std::int64_t layer, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v) {
    at::Tensor cache = pass.cache.select(1, layer);
    cache.index_put_({pass.block, pass.lane}, at::stack({k, v}, 1));
    return pass.blocks.defined() ? over_cache(pass, cache, q) : at::Tensor();
}

}  // namespace

at::Tensor attend(const TensorPass& pass, const Config& c, std::int64_t layer, const at::Tensor& qkv) {
    const at::Tensor q = qkv.narrow(1, 0, c.heads), k = qkv.narrow(1, c.heads, c.kv_heads),
                     v = qkv.narrow(1, c.heads + c.kv_heads, c.kv_heads);
    at::Tensor out;
    if (pass.by_host) out = over_host_cache(pass, c, layer, qkv);
    else if (pass.cache.defined()) out = over_torch_cache(pass, layer, q, k, v);
    return out.defined() ? out : over_sequences(pass, q, k, v);
}

}  // namespace hone::lm
