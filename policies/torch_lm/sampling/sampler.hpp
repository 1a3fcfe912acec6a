// sampler.hpp: many answers at once. A request is taken between two decoded tokens, its prompt is run once for its
// whole group, and a finished answer leaves the batch at once (continuous batching, Yu et al., OSDI 2022).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>
#include "torch_lm/sampling/decoder.hpp"

namespace hone::lm {

struct SampleRequest {
    std::uint64_t tag, seed;
    std::vector<std::int32_t> prompt;  // 1 .. context - 1 tokens
    std::uint32_t group;
    double temperature, top_p;
    std::int32_t max_tokens;  // at least 1
};
struct SampledAnswer {
    const SampleRequest& request;
    std::uint32_t member;
    std::vector<std::int32_t> ids;  // with the end token, if it was sampled
    std::vector<float> logp;
    bool stopped;  // by an end token; else the length was reached
};

class Sampler {
public:
    // batch: answers decoded at once
    Sampler(const Model& model, int threads, std::int64_t batch);
    ~Sampler();
    // take(may_wait): the next request, null if there is none now; done() once none will come. give: as each answer
    // ends. Both are called on this thread. Returns when done() and everything is given.
    void run(const Parameters& weights, const std::function<std::unique_ptr<SampleRequest>(bool may_wait)>& take,
             const std::function<bool()>& done, const std::function<void(const SampledAnswer&)>& give);

private:
    struct Running;
    struct Answer;
    void admit(const Parameters& weights, const std::function<std::unique_ptr<SampleRequest>(bool)>& take);
    void prefill(const Parameters& weights, const std::vector<std::shared_ptr<Running>>& fresh);
    void seat(const std::function<void(const SampledAnswer&)>& give);
    void step(const Parameters& weights);
    void leave(const std::function<void(const SampledAnswer&)>& give);
    void append(Answer& answer, const TokenDraw& drawn) const;
    Model model_;
    std::int64_t batch_;
    KvCache cache_;                                 // outlives the answers below, which give their blocks back to it
    std::vector<Decoder> decoders_;                 // one a thread
    std::vector<std::unique_ptr<Answer>> answers_;  // in the batch
    std::vector<std::unique_ptr<Answer>> waiting_;  // admitted, the batch is full; the next at the back
};

}  // namespace hone::lm
