// decoder.hpp: runs prompts and single tokens through the model with cached keys and values.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include "kv_cache.hpp"
#include "model.hpp"

namespace hone::lm {

struct DecodeRow {  // one answer's next step: the token behind its prompt and answer so far
    std::int32_t token, position;
    const KvCache::Stretch* prompt;
    const KvCache::Stretch* answer;  // has room for the token; it goes to its end
    DrawRule rule;                   // for the token behind it
};

// One thread, with its memory.
class Decoder {
public:
    explicit Decoder(const Model& model)
        : model_(model), device_(make_device(model.place())), activations_(model.place().gpu), logits_(0, model.place().gpu) {}
    // Fills `cached` (grown to the prompt's length by the caller) and returns the logits behind the last token [vocabulary].
    std::vector<float> prefill(const Parameters& weights, const std::vector<std::int32_t>& prompt, KvCache& cache,
                               const KvCache::Stretch& cached);
    // Draws each row's next token.
    void step(const Parameters& weights, const DecodeRow* rows, std::int64_t n, KvCache& cache, TokenDraw* to);

private:
    void run(const Parameters& weights, const CacheMemory& cache, std::int64_t n);  // makes logits of the pass's last n rows
    void look_back(const KvCache::Stretch& stretch, std::int64_t& at);  // into the pass's blocks from `at`
    const Model& model_;
    std::unique_ptr<Device> device_;
    Packed pass_;
    Activations activations_;
    Block logits_;
    std::vector<DrawRule> rules_;
};

}  // namespace hone::lm
