// adamw.hpp: AdamW (Loshchilov and Hutter, arXiv 1711.05101) with betas 0.9 and 0.95 over one flat tensor,
// by LibTorch's fused kernel. Moments are float32, and so is the master copy of bfloat16 weights: steps smaller than
// their rounding would be lost.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>

namespace hone::lm {

struct AdamW {
    explicit AdamW(const at::Tensor& of);
    // Descends; gradient (float32) is multiplied by `scale` first.
    void step(at::Tensor weights, at::Tensor gradient, float scale, double lr, double weight_decay);
    at::Tensor first, second;  // moments
    at::Tensor master;         // the weights in float32; undefined where they are so themselves
    std::int64_t steps = 0;
};

}  // namespace hone::lm
