#include "torch_lm/host/gemm.hpp"
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include "torch_lm/model/tensors.hpp"

namespace hone::lm::host {
namespace {

void multiply(at::Tensor c, const at::Tensor& a, const at::Tensor& b, bool add) {
    if (add) at::addmm_out(c, c, a, b);
    else at::mm_out(c, a, b);
}

}  // namespace

void linear(const float* x, const float* w, float* y, std::int64_t n, std::int64_t in, std::int64_t out, bool add) {
    multiply(view_of(y, {n, out}), view_of(x, {n, in}), view_of(w, {out, in}).t(), add);
}

void linear_input_gradient(const float* dy, const float* w, float* dx, std::int64_t n, std::int64_t in,
                           std::int64_t out, bool add) {
    multiply(view_of(dx, {n, in}), view_of(dy, {n, out}), view_of(w, {out, in}), add);
}

void linear_weight_gradient(const float* dy, const float* x, float* dw, std::int64_t n, std::int64_t in,
                            std::int64_t out) {
    multiply(view_of(dw, {out, in}), view_of(dy, {n, out}).t(), view_of(x, {n, in}), true);
}

}  // namespace hone::lm::host
