// decoder.hpp: runs prompts and single tokens through the model with cached keys and values.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include "torch_lm/gpu/steps.hpp"
#include "torch_lm/model/network.hpp"
#include "torch_lm/sampling/decode_row.hpp"

namespace hone::lm {

// a prompt to run: `cached` has grown to its length and is filled, logits are those behind its last token
struct PromptRow {
    const std::vector<std::int32_t>* ids;
    const KvCache::Stretch* cached;
    std::vector<float>* logits;
};

// Tokens of an answer that are drawn at once.
inline std::int64_t drawn_at_once(Place place) { return place.gpu == on_host ? 1 : gpu::Steps::at_once; }

// One thread, with its memory.
class Decoder {
public:
    explicit Decoder(const Model& model);
    void prefill(const Parameters& weights, const PromptRow* prompts, std::int64_t n, KvCache& cache);
    // Draws each row's next tokens: [n][drawn_at_once].
    void step(const Parameters& weights, const DecodeRow* rows, std::int64_t n, KvCache& cache, TokenDraw* to);

private:
    void look_back(const KvCache::Stretch& stretch, std::int64_t& at);  // into the pass's blocks from `at`
    void pack(const DecodeRow* rows, std::int64_t n);
    std::int64_t vocabulary_;
    std::unique_ptr<Network> network_;
    std::unique_ptr<gpu::Steps> on_gpu_;  // null on the host
    Packed pass_;
    std::vector<float> logits_, scratch_;
};

}  // namespace hone::lm
