// gemm.hpp: the three matrix products of a linear layer, row-major fp32, by LibTorch. On the host, inside a parallel
// region, each runs on one thread.
#pragma once
#include <cstdint>
#include "torch_lm/model/block.hpp"

namespace hone::lm {

// y[n, out] = x[n, in] w[out, in]^T (+ y)
void linear(const float* x, const float* w, float* y, std::int64_t n, std::int64_t in, std::int64_t out,
            bool add = false, int gpu = on_host);
// dx[n, in] = dy[n, out] w[out, in] (+ dx)
void linear_input_gradient(const float* dy, const float* w, float* dx, std::int64_t n, std::int64_t in,
                           std::int64_t out, bool add = false, int gpu = on_host);
// dw[out, in] += dy[n, out]^T x[n, in]
void linear_weight_gradient(const float* dy, const float* x, float* dw, std::int64_t n, std::int64_t in,
                            std::int64_t out, int gpu = on_host);

}  // namespace hone::lm
