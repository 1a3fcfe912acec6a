// adamw.hpp: AdamW (Loshchilov and Hutter, arXiv 1711.05101) with betas 0.9 and 0.95 over one block of weights, by
// LibTorch's fused kernel.
#pragma once
#include <cstdint>
#include "torch_lm/model/block.hpp"

namespace hone::lm {

struct AdamW {
    explicit AdamW(std::size_t size, int gpu = on_host) : first(size, gpu), second(size, gpu) {}
    // Descends; gradient is multiplied by `scale` first.
    void step(Block& weights, Block& gradient, float scale, double lr, double weight_decay);
    Block first, second;  // moments
    std::int64_t steps = 0;
};

}  // namespace hone::lm
