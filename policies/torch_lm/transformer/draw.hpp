// draw.hpp: what token_draw.hpp says, for many rows at once, by LibTorch's operators.
#pragma once
#include <ATen/core/Tensor.h>
#include "torch_lm/sampling/token_draw.hpp"

namespace hone::lm {

// logits: [n][vocabulary], one rule a row
void draw_tokens(const at::Tensor& logits, const DrawRule* rules, TokenDraw* to);

}  // namespace hone::lm
