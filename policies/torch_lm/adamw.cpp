#include "adamw.hpp"
#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>

namespace hone::lm {
namespace {

at::Tensor flat(std::vector<float>& values) {
    return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::TensorOptions(at::kFloat));
}

}  // namespace

void AdamW::step(std::vector<float>& weights, std::vector<float>& gradient, float scale, double lr, double weight_decay) {
    ++steps;
    const at::Tensor count = at::full({}, static_cast<double>(steps), at::TensorOptions(at::kFloat));
    const at::Tensor divisor = at::full({}, 1.0 / scale, at::TensorOptions(at::kFloat));
    at::Tensor w = flat(weights), g = flat(gradient), m = flat(first), v = flat(second);
    at::_fused_adamw_({w}, {g}, {m}, {v}, {}, {count}, lr, 0.9, 0.95, weight_decay, 1e-8, false, false, divisor);
}

}  // namespace hone::lm
