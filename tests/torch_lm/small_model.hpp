// A model of a few thousand weights, sequences for it, and what is asked of it.
#pragma once
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include "hone/inputs.h"
#include "torch_lm/learning/learner.hpp"
#include "torch_lm/sampling/sampler.hpp"

namespace hone::lm::test {

inline Config small_config() {
    Config c;
    c.vocabulary = 37, c.width = 24, c.layers = 2, c.heads = 4, c.kv_heads = 2, c.head_width = 6, c.mlp_width = 20,
    c.context = 64;
    c.init_deviation = 0.2;
    c.eos = {1};
    return c;
}

inline Parameters small_weights(const Config& c) {
    Parameters weights(c);
    initialize(weights, c, 3);
    for (const NamedTensor& tensor : weights.tensors)  // norms that are not 1
        if (tensor.shape.size() == 1)
            for (std::size_t i = 0; i < tensor.size; ++i) weights.of(tensor)[i] = 0.7f + 0.03f * static_cast<float>(i);
    return weights;
}

struct Batch {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> begin{0};
    std::vector<float> weight, entropy_weight;
    double temperature = 0.8;
    void add(int length, int salt) {
        for (int t = 0; t < length; ++t) {
            const hone_block bits = hone_philox(salt, t, 0);
            ids.push_back(static_cast<std::int32_t>(bits.word[0] % 37));
            weight.push_back(t == 2 ? 0.0f : static_cast<float>(bits.word[1] * 0x1p-32 - 0.3));
            entropy_weight.push_back(static_cast<float>(bits.word[2] * 0x1p-33));
        }
        begin.push_back(static_cast<std::int64_t>(ids.size()));
    }
    hone_batch view() const {
        return {ids.data(), begin.data(), static_cast<std::uint32_t>(begin.size() - 1), temperature};
    }
    hone_step step() const { return {.lr = 0, .weight = weight.data(), .entropy_weight = entropy_weight.data()}; }
};

inline Batch three_sequences() {
    Batch batch;
    batch.add(9, 1);
    batch.add(4, 2);
    batch.add(17, 3);
    return batch;
}

struct Scores {
    std::vector<float> logp, entropy;
};

inline Scores scores_of(Learner& learner, const Parameters& weights, const Batch& batch) {
    Scores s{std::vector<float>(batch.ids.size()), std::vector<float>(batch.ids.size())};
    learner.score(weights, batch.view(), s.logp.data(), s.entropy.data());
    return s;
}

inline std::vector<float> gradient_of(const Config& c, const Parameters& weights, const Batch& batch, int threads,
                                      Place place = {}) {
    Parameters copy = weights.on(place);
    Learner learner({c, place}, threads);
    learner.learn(copy, batch.view(), batch.step());
    return learner.gradient().weights->host();
}

struct Given {
    std::vector<std::int32_t> prompt, ids;
    std::vector<float> logp;
    bool stopped;
};

inline std::map<std::pair<std::uint64_t, std::uint32_t>, Given> sample(const Config& c, const Parameters& weights,
                                                                       std::vector<SampleRequest> requests, int threads,
                                                                       std::int64_t batch, Place place = {}) {
    const Model model{c, place};
    Sampler sampler(model, threads, batch);
    std::map<std::pair<std::uint64_t, std::uint32_t>, Given> given;
    std::size_t next = 0;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::int32_t>> drawn;
    sampler.run(
        weights,
        {[&](bool) { return next < requests.size() ? std::make_unique<SampleRequest>(requests[next++]) : nullptr; },
         [&] { return next == requests.size(); },
         [&](const SampledAnswer& a) {
             given[{a.request.tag, a.member}] = {a.request.prompt, a.ids, a.logp, a.stopped};
         },
         [&](const SampleRequest& request, std::uint32_t member, std::int32_t id) {
             drawn[{request.tag, member}].push_back(id);
             return false;
         }});
    for (const auto& [key, answer] : given) EXPECT_EQ(drawn.at(key), answer.ids) << "as they are drawn";
    return given;
}

inline std::vector<SampleRequest> some_requests() {
    std::vector<SampleRequest> requests;
    for (std::uint64_t i = 0; i < 7; ++i) {
        std::vector<std::int32_t> prompt;
        for (std::uint64_t t = 0; t < 1 + 5 * i; ++t) prompt.push_back(static_cast<std::int32_t>((i * 5 + t * 3) % 37));
        requests.push_back({i, 100 + i, prompt, static_cast<std::uint32_t>(1 + i % 3), {0.8}, 30});
    }
    return requests;
}

}  // namespace hone::lm::test
