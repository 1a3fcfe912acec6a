#include "torch_lm/transformer/pass.hpp"
#include <ATen/ATen.h>
#include <algorithm>
#include "torch_lm/model/tensors.hpp"

namespace hone::lm {
namespace {

template <class T> at::Tensor indices(const std::vector<T>& from, at::IntArrayRef sizes, c10::Device device) {
    return view_of(from.data(), sizes).to(device, at::kLong, /*non_blocking=*/false, /*copy=*/true);
}

std::int64_t size(const std::vector<std::int64_t>& list) { return static_cast<std::int64_t>(list.size()); }

void pad(TensorPass& pass, const std::vector<std::int64_t>& begin, c10::Device device) {
    pass.sequences = size(begin) - 1;
    for (std::int64_t s = 0; s < pass.sequences; ++s) pass.longest = std::max(pass.longest, begin[s + 1] - begin[s]);
    if (pass.rows == pass.sequences * pass.longest) return;
    std::vector<std::int64_t> slots;
    for (std::int64_t s = 0; s < pass.sequences; ++s)
        for (std::int64_t t = 0; t < begin[s + 1] - begin[s]; ++t) slots.push_back(s * pass.longest + t);
    pass.padded = indices(slots, {pass.rows}, device);
}

}  // namespace

TensorPass upload(const Packed& packed, Place place, const at::Tensor& frequencies) {
    const c10::Device device = device_of(place);
    TensorPass pass;
    pass.packed = &packed;
    pass.rows = packed.tokens();
    pass.ids = indices(packed.ids, {pass.rows}, device);
    const at::Tensor angles = indices(packed.positions, {pass.rows, 1, 1}, device).to(at::kDouble) * frequencies;
    pass.rotary = at::cat({angles.cos(), angles.sin()}, 2).to(at::kFloat);
    if (!packed.most_blocks) pad(pass, packed.begin, device);
    return pass;
}

void attach(TensorPass& pass, const Packed& packed, const Config& c, const KvCache& cache) {
    pass.by_host = cache.memory().device().is_cpu() && cache.memory().scalar_type() == at::kFloat;
    if (pass.by_host) return (void)(pass.cache = cache.memory());
    const at::Tensor slots = indices(packed.slots, {size(packed.slots)}, pass.ids.device());
    pass.block = slots.div(block_tokens, "floor"), pass.lane = slots.remainder(block_tokens);
    pass.cache = cache.memory().view({-1, c.layers, block_tokens, 2, c.kv_heads, c.head_width});
}

}  // namespace hone::lm
