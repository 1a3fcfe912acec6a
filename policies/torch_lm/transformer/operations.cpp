#include "torch_lm/transformer/operations.hpp"
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include "torch_lm/host/kernels.hpp"
#include "torch_lm/transformer/gpu_operations.hpp"

namespace hone::lm {
namespace {

constexpr std::int64_t least_rows = 16;  // of a core

at::Tensor norm_by_kernels(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    const std::int64_t width = weight.size(0), rows = x.numel() / width;
    const at::Tensor from = x.contiguous(), wide = weight.to(at::kFloat);
    at::Tensor y = at::empty_like(from), inverse = at::empty({rows}, from.options());
    const float *in = from.const_data_ptr<float>(), *w = wide.const_data_ptr<float>();
    float *out = y.mutable_data_ptr<float>(), *scale = inverse.mutable_data_ptr<float>();
    at::parallel_for(0, rows, least_rows, [&](std::int64_t first, std::int64_t last) {
        host::rms_norm(in + first * width, w, out + first * width, scale + first, last - first, width,
                       static_cast<float>(epsilon));
    });
    return y;
}

at::Tensor rotate_by_kernels(const TensorPass& pass, at::Tensor heads, std::int64_t turned) {
    const std::int64_t stride = heads.size(1) * heads.size(2), width = heads.size(2);
    float* at = heads.mutable_data_ptr<float>();
    const float* table = pass.rotary.const_data_ptr<float>();
    std::vector<std::int32_t> own(static_cast<std::size_t>(pass.rows));  // each row's place in the table
    for (std::size_t r = 0; r < own.size(); ++r) own[r] = static_cast<std::int32_t>(r);
    at::parallel_for(0, pass.rows, least_rows, [&](std::int64_t first, std::int64_t last) {
        host::rotate(at + first * stride, stride, turned, width, own.data() + first, table, last - first, 1);
    });
    return heads;
}

at::Tensor swiglu_by_kernels(const at::Tensor& gate_up) {
    const std::int64_t rows = gate_up.size(0), width = gate_up.size(1) / 2;
    at::Tensor y = at::empty({rows, width}, gate_up.options());
    const float* in = gate_up.const_data_ptr<float>();
    float* out = y.mutable_data_ptr<float>();
    at::parallel_for(0, rows, least_rows, [&](std::int64_t first, std::int64_t last) {
        host::swiglu(in + first * 2 * width, out + first * width, last - first, width);
    });
    return y;
}

}  // namespace

bool by_kernels(const at::Tensor& x) {
    return c10::InferenceMode::is_enabled() && x.device().is_cpu() && x.scalar_type() == at::kFloat;
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    if (by_kernels(x)) return norm_by_kernels(x, weight, epsilon);
    return at::rms_norm(x, {weight.size(0)}, weight.to(x.scalar_type()), epsilon);
}

Normed add_norm(const TensorPass& pass, const at::Tensor& x, const at::Tensor& change, const at::Tensor& weight,
                double epsilon) {
    if (pass.kernels) return add_norm_by_gpu(*pass.kernels, x, change, weight);
    const at::Tensor sum = change.defined() ? x + change : x;
    return {sum, rms_norm(sum, weight, epsilon)};
}

at::Tensor rotate(const TensorPass& pass, const at::Tensor& heads, std::int64_t turned) {
    if (by_kernels(heads) && heads.is_contiguous()) return rotate_by_kernels(pass, heads, turned);
    const std::int64_t half = heads.size(2) / 2;
    const at::Tensor cosine = pass.rotary.narrow(2, 0, half), sine = pass.rotary.narrow(2, half, half),
                     wide = heads.narrow(1, 0, turned).to(at::kFloat), a = wide.narrow(2, 0, half),
                     b = wide.narrow(2, half, half);
    const at::Tensor done = at::cat({at::addcmul(a * cosine, b, sine, -1), at::addcmul(b * cosine, a, sine)}, 2);
    return at::cat({done.to(heads.scalar_type()), heads.narrow(1, turned, heads.size(1) - turned)}, 1);
}

at::Tensor swiglu(const TensorPass& pass, const at::Tensor& gate_up) {
    if (pass.kernels) return swiglu_by_gpu(*pass.kernels, gate_up);
    if (by_kernels(gate_up)) return swiglu_by_kernels(gate_up);
    const auto parts = gate_up.chunk(2, 1);
    return at::silu(parts[0]) * parts[1];
}

}  // namespace hone::lm
