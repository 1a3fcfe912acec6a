// operations.hpp: the kernels over the rows of a pass. One thread each.
#pragma once
#include <vector>
#include "torch_lm/host/kernels.hpp"
#include "torch_lm/model/packed.hpp"

namespace hone::lm::host {

// Keys and values of all cached tokens: [blocks][layers][keys, values], as cached_attention takes them.
struct CacheMemory {
    float* at;
    std::int64_t layers;
};

class Operations {
public:
    // The rows that the functions below work on until the next pass; outlives it.
    void begin(const Packed& packed) { pass_ = &packed; }
    std::int64_t rows() const { return pass_->tokens(); }

    // x[row] = table[ids[row]], and the gradient's sum into the table
    void embed(const float* table, float* x, std::int64_t width) const;
    void embed_gradient(const float* dx, float* d_table, std::int64_t width) const;
    void rotate(const AttentionShape& shape, float* qkv, const float* table, float sign) const;
    void attention(const AttentionShape& shape, const float* qkv, float* out, float* log_sum);
    void attention_gradient(const AttentionShape& shape, const float* qkv, const float* out, const float* log_sum,
                            const float* d_out, float* d_qkv);
    // Keys and values of a layer go to the pass's slots; one new token a row against the pass's blocks.
    void remember(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer, const float* qkv) const;
    // Rows first .. last-1; several threads may work on rows of their own.
    void cached_attention(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer, const float* qkv,
                          float* out, std::int64_t first, std::int64_t last) const;

private:
    float* scratch(std::int64_t floats);
    template <class Body> void each_sequence(const AttentionShape& shape, const Body& body);
    const Packed* pass_ = nullptr;
    std::vector<float> scratch_;
};

}  // namespace hone::lm::host
