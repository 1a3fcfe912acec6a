// products.hpp: products of few rows by kernels of our own (products.cu), which begin to read a matrix while the kernel
// in front of them still runs.
#pragma once
#include <cstdint>
#include "torch_lm/gpu/kernels.hpp"

namespace hone::lm::gpu {

enum class ProductKind { plain, gated, wide };  // gated: of [gate | up]; wide: y is float32

struct FewRows {
    const void *weights, *x, *y;  // on the device: [out][in], [rows][in], [rows][out]; gated: [2 * out][in]
    std::int64_t rows, in, out;
};

// Queues y = x W^T, gated: silu(x gate^T) (x up^T). False, and nothing is queued: there is no kernel for so many rows.
bool multiply(const Kernels& kernels, cuda::Stream queue, ProductKind kind, const FewRows& product);

}  // namespace hone::lm::gpu
