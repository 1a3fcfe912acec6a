// gemm.hpp: the three matrix products of a linear layer, row-major fp32, by LibTorch. Inside a parallel region each
// runs on one thread.
#pragma once
#include <cstdint>

namespace hone::lm::host {

// y[n, out] = x[n, in] w[out, in]^T (+ y)
void linear(const float* x, const float* w, float* y, std::int64_t n, std::int64_t in, std::int64_t out,
            bool add = false);
// dx[n, in] = dy[n, out] w[out, in] (+ dx)
void linear_input_gradient(const float* dy, const float* w, float* dx, std::int64_t n, std::int64_t in,
                           std::int64_t out, bool add = false);
// dw[out, in] += dy[n, out]^T x[n, in]
void linear_weight_gradient(const float* dy, const float* x, float* dw, std::int64_t n, std::int64_t in,
                            std::int64_t out);

}  // namespace hone::lm::host
