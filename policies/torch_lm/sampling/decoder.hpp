// decoder.hpp: runs prompts and single tokens through the model with cached keys and values.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include "torch_lm/model/network.hpp"

namespace hone::lm {

// a prompt to run: `cached` has grown to its length and is filled, logits are those behind its last token
struct PromptRow {
    const std::vector<std::int32_t>* ids;
    const KvCache::Stretch* cached;
    std::vector<float>* logits;
};

struct DecodeRow {  // one answer's next step: the token behind its prompt and answer so far
    std::int32_t token, position;
    const KvCache::Stretch* prompt;
    const KvCache::Stretch* answer;  // has room for the token; it goes to its end
    DrawRule rule;                   // for the token behind it
};

// One thread, with its memory.
class Decoder {
public:
    explicit Decoder(const Model& model) : vocabulary_(model.config.vocabulary), network_(make_network(model)) {}
    void prefill(const Parameters& weights, const PromptRow* prompts, std::int64_t n, KvCache& cache);
    // Draws each row's next token.
    void step(const Parameters& weights, const DecodeRow* rows, std::int64_t n, KvCache& cache, TokenDraw* to);

private:
    void look_back(const KvCache::Stretch& stretch, std::int64_t& at);  // into the pass's blocks from `at`
    std::int64_t vocabulary_;
    std::unique_ptr<Network> network_;
    Packed pass_;
};

}  // namespace hone::lm
