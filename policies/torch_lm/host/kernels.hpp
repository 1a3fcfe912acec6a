// kernels.hpp: what a transformer does between its matrix products, forward and backward; fp32, row-major, one thread
// each. Compiled for several instruction sets; the best one is chosen when the library is loaded.
#pragma once
#include <cstdint>
#include "torch_lm/model/packed.hpp"

namespace hone::lm::host {

// RMSNorm (Zhang and Sennrich, arXiv 1910.07467): y = w x / rms(x); inverse[n] = 1 / rms
void rms_norm(const float* x, const float* w, float* y, float* inverse, std::int64_t n, std::int64_t width,
              float epsilon);
// dx += ..., dw += ...
void rms_norm_gradient(const float* x, const float* w, const float* inverse, const float* dy, float* dx, float* dw,
                       std::int64_t n, std::int64_t width);

// Rotary positions (Su et al., arXiv 2104.09864), half-split pairs: `heads` heads at x + row * stride turn by position;
// sign -1 turns back. table: [context][head_width] = cosines, then sines
void rotate(float* x, std::int64_t stride, std::int64_t heads, std::int64_t head_width, const std::int32_t* position,
            const float* table, std::int64_t n, float sign);

// SwiGLU (Shazeer, arXiv 2002.05202): h = silu(gate) up, rows of gate_up are gate then up
void swiglu(const float* gate_up, float* h, std::int64_t n, std::int64_t width);
void swiglu_gradient(const float* gate_up, const float* dh, float* d_gate_up, std::int64_t n, std::int64_t width);

struct AttentionShape {
    std::int64_t heads, kv_heads, head_width;
    std::int64_t stride() const { return (heads + 2 * kv_heads) * head_width; }
    std::int64_t out_stride() const { return heads * head_width; }
};
// floats of scratch that the two below need for a sequence of n tokens
std::int64_t attention_scratch(const AttentionShape& shape, std::int64_t n);
// Causal attention of one sequence. qkv: [n][q | k | v], rotated. log_sum: [n][heads], kept for the gradient.
void attention(const AttentionShape& shape, const float* qkv, float* out, float* log_sum, float* scratch,
               std::int64_t n);
void attention_gradient(const AttentionShape& shape, const float* qkv, const float* out, const float* log_sum,
                        const float* d_out, float* d_qkv, float* scratch, std::int64_t n);

// One new token against cached keys and values, which lie in blocks of `block_tokens`: keys transposed
// [kv_width][block_tokens], then values
// [block_tokens][kv_width].
struct CachedBlock {
    const float *keys, *values;
    std::int64_t tokens;  // used of block_tokens
};
// scratch: blocks * block_tokens floats; keys of a block are read whole
void cached_attention(const AttentionShape& shape, const float* q, const CachedBlock* blocks, std::int64_t n_blocks,
                      float* out, float* scratch);

// Row of logits -> log-probability of `target` and entropy of softmax(logits / temperature); log_sum for the gradient.
void token_logp(const float* logits, std::int64_t vocabulary, float temperature, std::int32_t target, float& logp,
                float& entropy, float& log_sum);
// In place: logits become the gradient of weight * logp + entropy_weight * entropy with respect to them.
void token_logp_gradient(float* logits, std::int64_t vocabulary, float temperature, std::int32_t target, float log_sum,
                         float entropy, float weight, float entropy_weight);
// p[i] = exp((logits[i] - max) / temperature), unnormalised; returns their sum
float softmax_terms(const float* logits, std::int64_t vocabulary, float temperature, float* p);

void add_to(float* sum, const float* x, std::int64_t n);
double sum_of_squares(const float* x, std::int64_t n);

}  // namespace hone::lm::host
