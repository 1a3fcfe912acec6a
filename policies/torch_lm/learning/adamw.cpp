#include "torch_lm/learning/adamw.hpp"
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include "torch_lm/model/tensor_view.hpp"

namespace hone::lm {
namespace {

at::Tensor flat(Block& values) {
    return tensor_view(values.data(), {static_cast<std::int64_t>(values.size())}, values.gpu());
}

}  // namespace

void AdamW::step(Block& weights, Block& gradient, float scale, double lr, double weight_decay) {
    ++steps;
    const at::TensorOptions options = at::TensorOptions(at::kFloat).device(place(weights.gpu()));
    const at::Tensor count = at::full({}, static_cast<double>(steps), options),
                     divisor = at::full({}, 1.0 / scale, options);
    at::Tensor w = flat(weights), g = flat(gradient), m = flat(first), v = flat(second);
    at::_fused_adamw_({w}, {g}, {m}, {v}, {}, {count}, lr, 0.9, 0.95, weight_decay, 1e-8, false, false, divisor);
}

}  // namespace hone::lm
