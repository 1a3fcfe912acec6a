// sampler.hpp: many answers at once. A request is taken between two decoded tokens, its prompt is run once for its
// whole group, and a finished answer leaves the batch at once (continuous batching, Yu et al., OSDI 2022).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "torch_lm/sampling/decoder.hpp"

namespace hone::lm {

struct SampleRequest {
    std::uint64_t tag, seed;
    std::vector<std::int32_t> prompt;  // 1 .. context - 1 tokens
    std::uint32_t group;
    DrawRule rule;
    std::int32_t max_tokens;        // at least 1
    std::vector<std::string> stop;  // for who listens to `drawn`
};
struct SampledAnswer {
    const SampleRequest& request;
    std::uint32_t member;
    std::vector<std::int32_t> ids;  // with the end token, if it was sampled
    std::vector<float> logp;
    bool stopped;  // by an end token or by `drawn`; else the length was reached
};

// Between the sampler and who asks; all are called on the thread of `run`.
struct SamplerFeed {
    std::function<std::unique_ptr<SampleRequest>(bool may_wait)> take;  // the next request; null: none now
    std::function<bool()> done;                                         // none will come
    std::function<void(const SampledAnswer&)> give;                     // as each answer ends
    // each token as it is drawn; true: the answer stops there. May be empty
    std::function<bool(const SampleRequest&, std::uint32_t member, std::int32_t id)> drawn;
};

class Sampler {
public:
    // batch: answers decoded at once
    Sampler(const Model& model, int threads, std::int64_t batch);
    ~Sampler();
    // Returns when feed.done() and everything is given.
    void run(const Parameters& weights, const SamplerFeed& feed);

private:
    struct Running;
    struct Answer;
    void admit(const Parameters& weights, const SamplerFeed& feed);
    void prefill(const Parameters& weights, const std::vector<std::shared_ptr<Running>>& fresh);
    void seat(const SamplerFeed& feed);
    void step(const Parameters& weights, const SamplerFeed& feed);
    void leave(const SamplerFeed& feed);
    void append(Answer& answer, const TokenDraw& drawn, const SamplerFeed& feed) const;
    Model model_;
    std::int64_t batch_;
    KvCache cache_;                                 // outlives the answers below, which give their blocks back to it
    std::vector<Decoder> decoders_;                 // one a thread
    std::vector<std::unique_ptr<Answer>> answers_;  // in the batch
    std::vector<std::unique_ptr<Answer>> waiting_;  // admitted, the batch is full; the next at the back
};

}  // namespace hone::lm
