#include "verifier_cuda/library/operators.hpp"
#include <ATen/native/ConvUtils.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/cudnn_convolution.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <stdexcept>

namespace hone::cuda {
namespace {

using Tensors = std::vector<at::Tensor>;
using Numbers = std::vector<std::int64_t>;

at::Tensor rows(const at::Tensor& t) { return t.reshape({-1, t.size(-1)}); }
at::Tensor matrices(const at::Tensor& t) { return t.reshape({-1, t.size(-2), t.size(-1)}); }

// Matrices that one factor has in common are one matrix with all of their rows.
void matmul(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out) {
    at::Tensor to = b.dim() == 2 ? rows(out) : matrices(out);
    if (b.dim() == 2) at::mm_out(to, rows(a), b);
    else at::bmm_out(to, matrices(a), matrices(b));
}

void add_matmul(const LibraryStep& step, const Tensors& in, at::Tensor out) {
    if (out.dim() == 2) at::addmm_out(out, in[0], in[1], in[2], step.beta, step.alpha);
    else at::baddbmm_out(out, in[0], in[1], in[2], step.beta, step.alpha);
}

void linear(const Tensors& in, const at::Tensor& out) {
    at::Tensor to = rows(out);
    if (in.size() == 3) at::addmm_out(to, in[2], rows(in[0]), in[1].t());  // the bias rides along
    else at::mm_out(to, rows(in[0]), in[1].t());
}

// One dimension is two of which the first has one element: so LibTorch does it, too.
struct Convolution {
    Convolution(const LibraryStep& step, const Tensors& in, const at::Tensor& to)
        : x(in[0]), w(in[1]), out(to), groups(step.window.groups) {
        const Window& window = step.window;
        const auto of = [&](const std::int64_t(&numbers)[max_window]) {
            return Numbers(numbers, numbers + window.rank);
        };
        stride = of(window.stride), padding = of(window.padding), dilation = of(window.dilation),
        output_padding = of(window.output_padding);
        if (window.rank > 1) return;
        for (Numbers* numbers : {&stride, &dilation}) numbers->insert(numbers->begin(), 1);
        for (Numbers* numbers : {&padding, &output_padding}) numbers->insert(numbers->begin(), 0);
        for (at::Tensor* tensor : {&x, &w, &out}) *tensor = tensor->unsqueeze(2);
    }
    at::Tensor x, w, out;
    Numbers stride, padding, dilation, output_padding;
    std::int64_t groups;
};

bool is_for_cudnn(const Convolution& c) {
    if (!c.x.is_cuda()) return false;
    const auto symbols = [](const Numbers& numbers) { return c10::fromIntArrayRefSlow(numbers); };
    return at::native::select_conv_backend(c.x, c.w, std::nullopt, symbols(c.stride), symbols(c.padding),
                                           symbols(c.dilation), false, symbols(c.output_padding), c.groups,
                                           std::nullopt) == at::native::ConvBackend::Cudnn;
}

void add_bias(const at::Tensor& out, const at::Tensor& bias) {
    Numbers shape(static_cast<std::size_t>(out.dim()), 1);
    shape[1] = bias.size(0);
    out.add_(bias.view(shape));
}

// cuDNN writes where it is told to; what other libraries make is copied.
void convolve(const LibraryStep& step, const Tensors& in, const at::Tensor& to, bool tf32) {
    Convolution c(step, in, to);
    const bool transposed = step.what == Operator::transposed_convolution;
    if (!transposed && is_for_cudnn(c))
        at::cudnn_convolution_out(c.out, c.x, c.w, c.padding, c.stride, c.dilation, c.groups, /*benchmark=*/false,
                                  /*deterministic=*/true, tf32);
    else
        c.out.copy_(
            at::convolution(c.x, c.w, {}, c.stride, c.padding, c.dilation, transposed, c.output_padding, c.groups));
    if (in.size() == 3) add_bias(to, in[2]);
}

}  // namespace

void run_operator(const LibraryStep& step, const Tensors& in, const at::Tensor& out, bool tf32) {
    const bool takes_three = step.what == Operator::add_matmul || step.what == Operator::attention;
    if (in.size() < (takes_three ? 3 : 2)) throw std::runtime_error("an operand is missing");
    switch (step.what) {
        case Operator::matmul:
            return matmul(in[0], in[1], out);
        case Operator::add_matmul:
            return add_matmul(step, in, out);
        case Operator::linear:
            return linear(in, out);
        case Operator::convolution:
        case Operator::transposed_convolution:
            return convolve(step, in, out, tf32);
        case Operator::attention:
            out.copy_(at::scaled_dot_product_attention(in[0], in[1], in[2], {}, 0, step.causal != 0, step.scale));
            return;
    }
    throw std::runtime_error("no such operator");
}

}  // namespace hone::cuda
