#include "torch_lm/transformer/attention.hpp"
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include "torch_lm/host/operations.hpp"
#include "torch_lm/transformer/gpu_operations.hpp"
#include "torch_lm/transformer/operations.hpp"

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
at::Tensor over_sequences(const TensorPass& pass, const Heads& heads) {
    const at::Tensor q = apart(pass, heads.q), k = apart(pass, heads.k), v = apart(pass, heads.v);
    return together(pass, at::scaled_dot_product_attention(q, k, v, {}, 0, /*is_causal=*/true, std::nullopt,
                                                           /*enable_gqa=*/true));
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

Heads parts_of(const Config& c, const at::Tensor& qkv) {
    return {qkv.narrow(1, 0, c.heads), qkv.narrow(1, c.heads, c.kv_heads),
            qkv.narrow(1, c.heads + c.kv_heads, c.kv_heads)};
}

}  // namespace

at::Tensor attend(const TensorPass& pass, const Config& c, std::int64_t layer, const at::Tensor& qkv) {
    const at::Tensor turned = pass.kernels ? at::Tensor() : rotate(pass, qkv, c.heads + c.kv_heads);
    const Heads heads = pass.kernels ? part_heads(pass, c, qkv) : parts_of(c, turned);
    at::Tensor out;
    if (pass.by_host) out = over_host_cache(pass, c, layer, turned);
    else if (pass.cache.defined())
        pass.cache.select(1, layer).index_put_({pass.block, pass.lane}, at::stack({heads.k, heads.v}, 1));
    return out.defined() ? out : over_sequences(pass, heads);
}

}  // namespace hone::lm
