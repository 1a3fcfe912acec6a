#include "torch_lm/gpu/products.hpp"
#include <algorithm>

namespace hone::lm::gpu {
namespace {

constexpr std::int64_t warps = 8;  // of a block, as products.cu has it

// Warps that share a row of W: each has some 1024 numbers of it, so that all rows are read at once. At most 4, since a
// gated product takes two rows in a block.
std::int64_t split_of(std::int64_t in) { return in <= 1024 ? 1 : in <= 2048 ? 2 : 4; }

}  // namespace

bool multiply(const Kernels& kernels, cuda::Stream queue, ProductKind kind, const FewRows& product) {
    const auto found = kernels.products.find(product.rows);
    if (found == kernels.products.end()) return false;
    const Product& by = found->second;
    const bool gated = kind == ProductKind::gated;
    const auto in = static_cast<std::int32_t>(product.in), out = static_cast<std::int32_t>(product.out),
               split = static_cast<std::int32_t>(split_of(in));
    Grid grid{up(out, warps / split / (gated ? 2 : 1))};
    grid.early = true;
    kernels.launch(gated                       ? by.gated
                   : kind == ProductKind::wide ? by.wide
                                               : by.plain,
                   grid, queue, {&product.weights, &product.x, &product.y, &in, &out, &split});
    return true;
}

}  // namespace hone::lm::gpu
