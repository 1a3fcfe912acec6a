// steps.hpp: decoding on a GPU: some steps at a time without the host, each the replay of one CUDA graph. Matrix
// products of many rows are LibTorch's, all else kernels of our own (kernels.hpp, products.hpp).
#pragma once
#include <ATen/core/Tensor.h>
#include <map>
#include <utility>
#include "cuda/driver.hpp"
#include "torch_lm/gpu/kernels.hpp"
#include "torch_lm/model/network.hpp"
#include "torch_lm/sampling/decode_row.hpp"

namespace hone::lm::gpu {

class Steps {
public:
    static constexpr std::int64_t at_once = 8;  // steps between two looks of the host
    explicit Steps(const Model& model);
    ~Steps();
    Steps(const Steps&) = delete;
    // Draws each row's next `at_once` tokens: to[row * at_once + step]. What an answer does behind its end is noise.
    void run(const Parameters& weights, const DecodeRow* rows, std::int64_t n, KvCache& cache, TokenDraw* to);

private:
    struct Shape {  // of a graph
        std::int64_t rows, blocks;
        auto operator<=>(const Shape&) const = default;
    };
    struct Rows;  // as layer.cu has it
    struct Qkv;   // as heads.cu has it
    void reserve(const Shape& shape);
    void upload(const DecodeRow* rows, std::int64_t n, const Shape& shape, const KvCache& cache);
    void step(const Parameters& weights, const Shape& shape);
    void product(at::Tensor& to, const at::Tensor& x, const at::Tensor& by, std::int64_t n) const;
    void head(const at::Tensor& by, std::int64_t n);
    void launch(cuda::Function kernel, Grid grid, std::initializer_list<const void*> arguments) const;
    void gated_product(const at::Tensor& gate_up, std::int64_t n);
    void attend(const Qkv& qkv, std::size_t layer, const Shape& shape, const Rows& rows) const;
    void layer(const Parameters& weights, std::size_t number, const Shape& shape, const Rows& rows);
    cuda::GraphRun recorded(const Parameters& weights, const Shape& shape, KvCache& cache);
    void forget();
    Model model_;
    const Kernels& kernels_;
    cuda::Stream queue_ = nullptr;
    Shape room_{};              // of the memory below
    const void* of_ = nullptr;  // the weights that the graphs read
    std::map<Shape, cuda::GraphRun> graphs_;
    at::Tensor frequencies_;
    at::Tensor ids_, positions_, prompts_, first_, table_, cache_at_, rules_, uniforms_, drawn_;  // of the rows
    at::Tensor x_, y_, change_, qkv_, attended_, gate_up_, hidden_, logits_, rotary_, partials_, done_, slices_;
};

}  // namespace hone::lm::gpu
