#include "torch_lm/learning/adamw.hpp"
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

namespace hone::lm {

AdamW::AdamW(const at::Tensor& of) : first(at::zeros_like(of, at::kFloat)), second(at::zeros_like(of, at::kFloat)) {
    if (of.scalar_type() != at::kFloat) master = of.to(at::kFloat);
}

void AdamW::step(at::Tensor weights, at::Tensor gradient, float scale, double lr, double weight_decay) {
    ++steps;
    const at::TensorOptions options = first.options();
    const at::Tensor count = at::full({}, static_cast<double>(steps), options),
                     divisor = at::full({}, 1.0 / scale, options);
    const at::Tensor& w = master.defined() ? master : weights;
    at::_fused_adamw_({w}, {gradient}, {first}, {second}, {}, {count}, lr, 0.9, 0.95, weight_decay, 1e-8, false, false,
                      divisor);
    if (master.defined()) weights.copy_(master);
}

}  // namespace hone::lm
