#include "gemm.hpp"
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>

namespace hone::lm {
namespace {

at::Tensor matrix(const float* at, std::int64_t rows, std::int64_t columns) {
    return at::from_blob(const_cast<float*>(at), {rows, columns}, at::TensorOptions(at::kFloat));
}

void multiply(at::Tensor c, const at::Tensor& a, const at::Tensor& b, bool add) {
    if (add) at::addmm_out(c, c, a, b);
    else at::mm_out(c, a, b);
}

}  // namespace

void linear(const float* x, const float* w, float* y, std::int64_t n, std::int64_t in, std::int64_t out, bool add) {
    multiply(matrix(y, n, out), matrix(x, n, in), matrix(w, out, in).t(), add);
}

void linear_input_gradient(const float* dy, const float* w, float* dx, std::int64_t n, std::int64_t in, std::int64_t out, bool add) {
    multiply(matrix(dx, n, in), matrix(dy, n, out), matrix(w, out, in), add);
}

void linear_weight_gradient(const float* dy, const float* x, float* dw, std::int64_t n, std::int64_t in, std::int64_t out) {
    multiply(matrix(dw, out, in), matrix(dy, n, out).t(), matrix(x, n, in), true);
}

}  // namespace hone::lm
