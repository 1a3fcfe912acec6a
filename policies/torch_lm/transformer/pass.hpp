// pass.hpp: what the rows of a pass are, as tensors where the model lies.
#pragma once
#include <ATen/core/Tensor.h>
#include "torch_lm/format/config.hpp"
#include "torch_lm/gpu/kernels.hpp"
#include "torch_lm/model/kv_cache.hpp"
#include "torch_lm/model/packed.hpp"
#include "torch_lm/model/place.hpp"

namespace hone::lm {

struct TensorPass {
    const Packed* packed = nullptr;  // outlives this
    std::int64_t rows = 0;
    at::Tensor ids;     // [rows]
    at::Tensor rotary;  // of the rotary angles, float32: [rows][1][head_width] = cosines, then sines

    // whole sequences, padded to the longest for attention
    std::int64_t sequences = 0, longest = 0;
    at::Tensor padded;  // where each row goes in [sequences * longest]; undefined where rows lie so already

    at::Tensor block, lane;  // with a cache: of each row; undefined by the kernels of host/
    // [blocks][layers][16][keys, values][kv_heads][head_width], or the order of host/; undefined without a cache
    at::Tensor cache;
    const gpu::Kernels* kernels = nullptr;  // on a GPU; null: by LibTorch's operators
    bool by_host = false;                   // attention over the cache: float32 on a CPU
};

// frequencies: [head_width / 2] radians a token, float64, where the model lies
TensorPass upload(const Packed& packed, Place place, const at::Tensor& frequencies);
void attach(TensorPass& pass, const Packed& packed, const Config& config, const KvCache& cache);

}  // namespace hone::lm
