import torch
from torch.utils.cpp_extension import load_inline

CPP = """
#include <torch/extension.h>

torch::Tensor mix(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_contiguous() && a.sizes() == b.sizes(), "a and b are alike");
    auto o = torch::empty_like(a);
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "mix", ([&] {
        const scalar_t *x = a.data_ptr<scalar_t>(), *y = b.data_ptr<scalar_t>();
        scalar_t* const to = o.data_ptr<scalar_t>();
        for (int64_t i = 0; i < a.numel(); ++i) to[i] = 2 * x[i] + y[i];
    }));
    return o;
}
"""
CUDA = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename T> __global__ void mix_kernel(const T* a, const T* b, T* o, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) o[i] = 2 * a[i] + b[i];
}

torch::Tensor mix(torch::Tensor a, torch::Tensor b) {
    auto o = torch::empty(a.sizes(), a.options());
    const int64_t n = a.numel();
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "mix", ([&] {
        mix_kernel<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), o.data_ptr<scalar_t>(), n);
    }));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return o;
}
"""


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        if torch.empty(1).is_cuda:
            self.made = load_inline("mix_cuda", "torch::Tensor mix(torch::Tensor a, torch::Tensor b);", CUDA, ["mix"],
                                    extra_cuda_cflags=["-O3", "--use_fast_math"])
        else:
            self.made = load_inline(name="mix_cpu", cpp_sources=CPP, functions="mix", extra_cflags=["-O3"])

    def forward(self, a, b):
        return self.made.mix(a, b)
