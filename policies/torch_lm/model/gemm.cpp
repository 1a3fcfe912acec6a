#include "torch_lm/model/gemm.hpp"
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include "torch_lm/model/tensor_view.hpp"

namespace hone::lm {
namespace {

void multiply(at::Tensor c, const at::Tensor& a, const at::Tensor& b, bool add) {
    if (add) at::addmm_out(c, c, a, b);
    else at::mm_out(c, a, b);
}

}  // namespace

void linear(const float* x, const float* w, float* y, std::int64_t n, std::int64_t in, std::int64_t out, bool add,
            int gpu) {
    multiply(tensor_view(y, {n, out}, gpu), tensor_view(x, {n, in}, gpu), tensor_view(w, {out, in}, gpu).t(), add);
}

void linear_input_gradient(const float* dy, const float* w, float* dx, std::int64_t n, std::int64_t in,
                           std::int64_t out, bool add, int gpu) {
    multiply(tensor_view(dx, {n, in}, gpu), tensor_view(dy, {n, out}, gpu), tensor_view(w, {out, in}, gpu), add);
}

void linear_weight_gradient(const float* dy, const float* x, float* dw, std::int64_t n, std::int64_t in,
                            std::int64_t out, int gpu) {
    multiply(tensor_view(dw, {out, in}, gpu), tensor_view(dy, {n, out}, gpu).t(), tensor_view(x, {n, in}, gpu), true);
}

}  // namespace hone::lm
