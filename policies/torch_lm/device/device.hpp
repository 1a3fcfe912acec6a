// device.hpp: what the model is computed with. Its definition (model.cpp, decoder.cpp, learner.cpp) is one for all;
// addresses of floats are the device's, all else is the host's. One object a worker, because it keeps what belongs to
// the pass in hand.
#pragma once
#include <cstdint>
#include <memory>
#include "torch_lm/model/block.hpp"
#include "torch_lm/model/kernels.hpp"
#include "torch_lm/model/packed.hpp"
#include "torch_lm/sampling/token_draw.hpp"

namespace hone::lm {

struct Place {
    int gpu = on_host;
    // LibTorch's operators, one worker; else the kernels of this folder, a worker a thread. Tests join it with the host
    bool aten = gpu != on_host;
};

// Keys and values of all cached tokens: [blocks][layers][keys, values], 16 tokens each, in the device's own order.
struct CacheMemory {
    float* at;
    std::int64_t blocks, layers;
};

struct TokenScores {
    float *logp, *entropy, *log_sum;
};  // on the host, [rows]

class Device {
public:
    virtual ~Device() = default;
    // The rows that the functions below work on until the next pass; outlives it.
    virtual void begin(const Packed& packed) = 0;

    // x[row] = table[ids[row]], and the gradient's sum into the table
    virtual void embed(const float* table, float* x, std::int64_t width) = 0;
    virtual void embed_gradient(const float* dx, float* d_table, std::int64_t width) = 0;
    // as in gemm.hpp
    virtual void linear(const float* x, const float* w, float* y, std::int64_t n, std::int64_t in, std::int64_t out,
                        bool add = false) = 0;
    virtual void linear_input_gradient(const float* dy, const float* w, float* dx, std::int64_t n, std::int64_t in,
                                       std::int64_t out) = 0;
    virtual void linear_weight_gradient(const float* dy, const float* x, float* dw, std::int64_t n, std::int64_t in,
                                        std::int64_t out) = 0;
    // as in kernels.hpp, all rows of the pass
    virtual void rms_norm(const float* x, const float* w, float* y, float* inverse, std::int64_t width,
                          float epsilon) = 0;
    virtual void rms_norm_gradient(const float* x, const float* w, const float* inverse, const float* dy, float* dx,
                                   float* dw, std::int64_t width) = 0;
    virtual void rotate(const AttentionShape& shape, float* qkv, const float* table, float sign) = 0;
    virtual void swiglu(const float* gate_up, float* h, std::int64_t width) = 0;
    virtual void swiglu_gradient(const float* gate_up, const float* dh, float* d_gate_up, std::int64_t width) = 0;
    virtual void attention(const AttentionShape& shape, const float* qkv, float* out, float* log_sum) = 0;
    virtual void attention_gradient(const AttentionShape& shape, const float* qkv, const float* out,
                                    const float* log_sum, const float* d_out, float* d_qkv) = 0;
    // Keys and values of a layer go to the pass's slots; one new token a row against the pass's blocks.
    virtual void remember(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer,
                          const float* qkv) = 0;
    virtual void cached_attention(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer,
                                  const float* qkv, float* out) = 0;

    // n rows of logits, row i for targets[i]
    virtual void token_logp(const float* logits, const std::int32_t* targets, std::int64_t n, std::int64_t vocabulary,
                            float temperature, const TokenScores& to) = 0;
    // In place: logits become the gradient of weight[i] * logp + entropy_weight[i] * entropy.
    virtual void token_logp_gradient(float* logits, const std::int32_t* targets, std::int64_t n,
                                     std::int64_t vocabulary, float temperature, const TokenScores& scores,
                                     const float* weight, const float* entropy_weight) = 0;

    // a token from each of n rows of logits
    virtual void draw(const float* logits, std::int64_t n, std::int64_t vocabulary, const DrawRule* rules,
                      TokenDraw* to) = 0;

    virtual void copy(float* to, const float* from, std::int64_t n) = 0;
    virtual void zero(float* at, std::int64_t n) = 0;
    // to[i] = from[rows[i]], and to[rows[i]] = from[i]
    virtual void gather(const float* from, const std::int64_t* rows, std::int64_t n, std::int64_t width, float* to) = 0;
    virtual void scatter(const float* from, const std::int64_t* rows, std::int64_t n, std::int64_t width,
                         float* to) = 0;
    virtual double sum_of_squares(const float* x, std::int64_t n) = 0;
};

inline int workers(Place place, int threads) { return place.aten ? 1 : threads; }
// Tokens of a pass over whole sequences: the kernels' activations stay near the cores, LibTorch's operators want many
// at once.
inline std::int64_t pass_tokens(Place place) { return place.aten ? 8192 : 512; }
std::unique_ptr<Device> make_device(Place place);
std::unique_ptr<Device> make_aten_device(int gpu);

}  // namespace hone::lm
