// adamw.hpp: AdamW (Loshchilov and Hutter, arXiv 1711.05101) with betas 0.9 and 0.95 over one block of weights, by LibTorch's fused kernel.
#pragma once
#include <cstdint>
#include <vector>

namespace hone::lm {

struct AdamW {
    explicit AdamW(std::size_t size) : first(size), second(size) {}
    // Descends; gradient is multiplied by `scale` first.
    void step(std::vector<float>& weights, std::vector<float>& gradient, float scale, double lr, double weight_decay);
    std::vector<float> first, second;  // moments
    std::int64_t steps = 0;
};

}  // namespace hone::lm
