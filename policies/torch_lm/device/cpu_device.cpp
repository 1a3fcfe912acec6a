// The kernels of this folder, one thread.
#include <algorithm>
#include "torch_lm/device/device.hpp"
#include "torch_lm/model/gemm.hpp"

namespace hone::lm {
namespace {

class CpuDevice : public Device {
public:
    void begin(const Packed& packed) override { pass_ = &packed; }

    void embed(const float* table, float* x, std::int64_t width) override {
        for (std::int64_t t = 0; t < n(); ++t) std::copy_n(table + pass_->ids[t] * width, width, x + t * width);
    }
    void embed_gradient(const float* dx, float* d_table, std::int64_t width) override {
        for (std::int64_t t = 0; t < n(); ++t) add_to(d_table + pass_->ids[t] * width, dx + t * width, width);
    }
    void linear(const float* x, const float* w, float* y, std::int64_t rows, std::int64_t in, std::int64_t out,
                bool add) override {
        lm::linear(x, w, y, rows, in, out, add);
    }
    void linear_input_gradient(const float* dy, const float* w, float* dx, std::int64_t rows, std::int64_t in,
                               std::int64_t out) override {
        lm::linear_input_gradient(dy, w, dx, rows, in, out);
    }
    void linear_weight_gradient(const float* dy, const float* x, float* dw, std::int64_t rows, std::int64_t in,
                                std::int64_t out) override {
        lm::linear_weight_gradient(dy, x, dw, rows, in, out);
    }
    void rms_norm(const float* x, const float* w, float* y, float* inverse, std::int64_t width,
                  float epsilon) override {
        lm::rms_norm(x, w, y, inverse, n(), width, epsilon);
    }
    void rms_norm_gradient(const float* x, const float* w, const float* inverse, const float* dy, float* dx, float* dw,
                           std::int64_t width) override {
        lm::rms_norm_gradient(x, w, inverse, dy, dx, dw, n(), width);
    }
    void rotate(const AttentionShape& shape, float* qkv, const float* table, float sign) override {
        lm::rotate(qkv, shape.stride(), shape.heads + shape.kv_heads, shape.head_width, pass_->positions.data(), table,
                   n(), sign);
    }
    void swiglu(const float* gate_up, float* h, std::int64_t width) override { lm::swiglu(gate_up, h, n(), width); }
    void swiglu_gradient(const float* gate_up, const float* dh, float* d_gate_up, std::int64_t width) override {
        lm::swiglu_gradient(gate_up, dh, d_gate_up, n(), width);
    }
    void attention(const AttentionShape& shape, const float* qkv, float* out, float* log_sum) override {
        each_sequence(shape, [&](std::int64_t at, std::int64_t length, float* scratch) {
            lm::attention(shape, qkv + at * shape.stride(), out + at * shape.out_stride(), log_sum + at * shape.heads,
                          scratch, length);
        });
    }
    void attention_gradient(const AttentionShape& shape, const float* qkv, const float* out, const float* log_sum,
                            const float* d_out, float* d_qkv) override {
        each_sequence(shape, [&](std::int64_t at, std::int64_t length, float* scratch) {
            lm::attention_gradient(shape, qkv + at * shape.stride(), out + at * shape.out_stride(),
                                   log_sum + at * shape.heads, d_out + at * shape.out_stride(),
                                   d_qkv + at * shape.stride(), scratch, length);
        });
    }
    void remember(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer,
                  const float* qkv) override {
        for (std::int64_t t = 0; t < n(); ++t) {
            const std::int64_t lane = pass_->slots[t] % block_tokens, width = kv_width(shape);
            float *keys = keys_of(shape, cache, layer, pass_->slots[t] / block_tokens),
                  *values = keys + width * block_tokens;
            const float* key = qkv + t * shape.stride() + shape.out_stride();
            for (std::int64_t c = 0; c < width; ++c) keys[c * block_tokens + lane] = key[c];
            std::copy_n(key + width, width, values + lane * width);
        }
    }
    void cached_attention(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer, const float* qkv,
                          float* out) override {
        for (std::int64_t t = 0; t < n(); ++t) {
            blocks_.clear();
            for (std::int64_t b = t * pass_->most_blocks; b < (t + 1) * pass_->most_blocks && pass_->block_used[b] > 0;
                 ++b) {
                const float* keys = keys_of(shape, cache, layer, pass_->blocks[b]);
                blocks_.push_back({keys, keys + kv_width(shape) * block_tokens, pass_->block_used[b]});
            }
            const auto n_blocks = static_cast<std::int64_t>(blocks_.size());
            lm::cached_attention(shape, qkv + t * shape.stride(), blocks_.data(), n_blocks,
                                 out + t * shape.out_stride(), scratch(n_blocks * block_tokens));
        }
    }
    void token_logp(const float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocabulary,
                    float temperature, const TokenScores& to) override {
        for (std::int64_t r = 0; r < rows; ++r)
            lm::token_logp(logits + r * vocabulary, vocabulary, temperature, targets[r], to.logp[r], to.entropy[r],
                           to.log_sum[r]);
    }
    void token_logp_gradient(float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocabulary,
                             float temperature, const TokenScores& scores, const float* weight,
                             const float* entropy_weight) override {
        for (std::int64_t r = 0; r < rows; ++r)
            lm::token_logp_gradient(logits + r * vocabulary, vocabulary, temperature, targets[r], scores.log_sum[r],
                                    scores.entropy[r], weight[r], entropy_weight[r]);
    }
    void draw(const float* logits, std::int64_t rows, std::int64_t vocabulary, const DrawRule* rules,
              TokenDraw* to) override {
        for (std::int64_t r = 0; r < rows; ++r)
            to[r] = draw_token(logits + r * vocabulary, vocabulary, rules[r], scratch_);
    }
    void copy(float* to, const float* from, std::int64_t floats) override { std::copy_n(from, floats, to); }
    void zero(float* at, std::int64_t floats) override { std::fill_n(at, floats, 0.0f); }
    void gather(const float* from, const std::int64_t* rows, std::int64_t count, std::int64_t width,
                float* to) override {
        for (std::int64_t r = 0; r < count; ++r) std::copy_n(from + rows[r] * width, width, to + r * width);
    }
    void scatter(const float* from, const std::int64_t* rows, std::int64_t count, std::int64_t width,
                 float* to) override {
        for (std::int64_t r = 0; r < count; ++r) std::copy_n(from + r * width, width, to + rows[r] * width);
    }
    double sum_of_squares(const float* x, std::int64_t floats) override { return lm::sum_of_squares(x, floats); }

private:
    std::int64_t n() const { return pass_->tokens(); }
    static std::int64_t kv_width(const AttentionShape& shape) { return shape.kv_heads * shape.head_width; }
    static float* keys_of(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer,
                          std::int64_t block) {
        return cache.at + (block * cache.layers + layer) * 2 * block_tokens * kv_width(shape);
    }
    float* scratch(std::int64_t floats) {
        scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(floats)));
        return scratch_.data();
    }
    template <class Body> void each_sequence(const AttentionShape& shape, const Body& body) {
        for (std::size_t s = 0; s + 1 < pass_->begin.size(); ++s) {
            const std::int64_t at = pass_->begin[s], length = pass_->begin[s + 1] - at;
            body(at, length, scratch(attention_scratch(shape, length)));
        }
    }
    const Packed* pass_ = nullptr;
    std::vector<float> scratch_;
    std::vector<CachedBlock> blocks_;
};

}  // namespace

std::unique_ptr<Device> make_device(Place place) {
    if (place.aten) return make_aten_device(place.gpu);
    return std::make_unique<CpuDevice>();
}

}  // namespace hone::lm
