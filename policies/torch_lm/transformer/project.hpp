// project.hpp: x W^T + bias. Weights may be of a narrower type than x: on a CPU activations are float32 always.
#pragma once
#include <ATen/core/Tensor.h>

namespace hone::lm {

// x: [rows][in]; weight: [out][in]; bias: [out], or undefined
at::Tensor project(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

}  // namespace hone::lm
