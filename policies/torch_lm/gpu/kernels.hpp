// kernels.hpp: kernels of our own for what lies between LibTorch's products (*.cu), compiled by NVRTC for one model and
// GPU.
#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <vector>
#include "cuda/driver.hpp"
#include "torch_lm/gpu/cut.hpp"
#include "torch_lm/model/place.hpp"

namespace hone::lm::gpu {

// n / by, rounded up.
inline std::int64_t up(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

struct Grid {
    std::int64_t x = 1, y = 1, z = 1;
    unsigned threads = 256;
    bool early = false;  // begins before the kernel in front of it ends: it calls wait_for_previous (numbers.cu)
};

struct Product {
    cuda::Function plain = nullptr, gated = nullptr, wide = nullptr;
};

class Kernels {
public:
    // Of the process, compiled once. Throws Refused where NVRTC is missing or the model's shape is a misfit.
    static const Kernels& of(const Config& config, Place place);
    Cut cut;
    cuda::Function embed, add_norm, gate, measure, draw;
    cuda::Function attention_of_few_rows, attention_of_many_rows;
    std::map<std::int64_t, Product> products;  // by rows: 1, 2 (products.hpp)
    cuda::Function part_heads, join_heads, gate_gradient, norm_gradient, score_rows, score_gradient;
    // arguments: addresses of values, as the kernel declares them
    void launch(cuda::Function kernel, const Grid& grid, cuda::Stream queue,
                std::initializer_list<const void*> arguments) const;

private:
    Kernels(const Config& config, Place place);
    void find(cuda::Module module);
    // There is programmatic dependent launch, and a driver that takes it into graphs (12.3).
    bool may_begin_early_;
};

constexpr std::int64_t slice = 8192;    // of a row of logits, a block of threads of `measure`. As draw.cu.
constexpr std::int64_t columns = 1024;  // of a row of logits, a block of threads of `score_gradient`. As scores.cu.
extern const char* const source;        // for NVRTC

}  // namespace hone::lm::gpu
