// decoder.hpp: runs prompts and single tokens through the model with cached keys and values.
#pragma once
#include <cstdint>
#include <vector>
#include "kv_cache.hpp"
#include "model.hpp"

namespace hone::lm {

struct DecodeRow {  // one answer's next step: the token behind its prompt and answer so far
    std::int32_t token, position;
    const KvCache::Stretch* prompt;
    KvCache::Stretch* answer;  // has room for the token; it goes to its end
};

// The memory of one thread.
class Decoder {
public:
    explicit Decoder(const Model& model) : model_(model) {}
    // Fills `cached` (grown to the prompt's length by the caller) and returns the logits behind the last token [vocabulary].
    std::vector<float> prefill(const Parameters& weights, const std::vector<std::int32_t>& prompt, KvCache::Stretch& cached);
    // Returns logits [n][vocabulary], valid until the next call.
    const float* step(const Parameters& weights, const DecodeRow* rows, std::int64_t n);

private:
    void attend(std::int64_t layer, const DecodeRow* rows, std::int64_t n);
    const Model& model_;
    Activations activations_;
    std::vector<CachedBlock> blocks_;
    std::vector<float> x_, inverse_, normed_, qkv_, attended_, gate_up_, hidden_, logits_, scores_;
    std::vector<std::int32_t> positions_;
};

}  // namespace hone::lm
