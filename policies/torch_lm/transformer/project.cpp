#include "torch_lm/transformer/project.hpp"
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include "torch_lm/host/few_rows.hpp"

namespace hone::lm {
namespace {

// LibTorch's product of few rows copies the matrix first, or leaves cores idle: it reaches a third to a half of this
// speed at one row, two thirds to four fifths at 32 (tests/bench/decode_bench). Prompts and learning have more rows.
constexpr std::int64_t few = 32, least_outputs = 64;

bool is_few(const at::Tensor& x) { return c10::InferenceMode::is_enabled() && x.device().is_cpu() && x.size(0) <= few; }

at::Tensor project_few(const at::Tensor& x, const at::Tensor& weight) {
    at::Tensor y = at::empty({x.size(0), weight.size(0)}, x.options());
    const host::FewRows product{x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.size(0), x.size(1),
                                weight.size(0)};
    const void* w = weight.const_data_ptr();
    const bool wide = weight.scalar_type() == at::kFloat;
    at::parallel_for(0, product.out, least_outputs, [&](std::int64_t first, std::int64_t last) {
        if (wide) host::few_rows(product, static_cast<const float*>(w), first, last);
        else host::few_rows(product, static_cast<const std::uint16_t*>(w), first, last);
    });
    return y;
}

}  // namespace

at::Tensor project(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (!is_few(x)) return at::linear(x, weight.to(x.scalar_type()), bias.defined() ? bias.to(x.scalar_type()) : bias);
    at::Tensor y = project_few(x.contiguous(), weight);
    return bias.defined() ? y.add_(bias) : y;
}

}  // namespace hone::lm
