// learner.hpp: log-probabilities of given tokens, and updates that raise a weighted sum of them.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include "hone/abi.h"
#include "torch_lm/learning/adamw.hpp"
#include "torch_lm/learning/shards.hpp"
#include "torch_lm/model/network.hpp"

namespace hone::lm {

// What an update changes: all weights, or an adapter, from which and from `base` the weights follow.
struct Trained {
    Trained(Parameters& all) : weights(all) {}
    Trained(Parameters& merged, const Parameters& fixed, Adapter& changed)
        : weights(merged), base(&fixed), adapter(&changed) {}
    const at::Tensor& values() const { return adapter ? adapter->values : weights.values; }
    Parameters& weights;
    const Parameters* base = nullptr;
    Adapter* adapter = nullptr;
};

class Learner {
public:
    Learner(const Model& model, int threads);
    ~Learner();
    // logp, entropy: [begin[n]], 0 for the first token of a sequence; entropy may be null
    void score(const Parameters& weights, const hone_batch& batch, float* logp, float* entropy);
    // One update, left out (applied 0) if the gradient is not finite. `version` is the caller's.
    hone_stepped learn(const Trained& what, const hone_batch& batch, const hone_step& step);
    // The gradient of the objective alone, for tests: the sum in workers' order.
    const Gradient& gradient() const;
    // Made when it is first wanted: its moments take as much memory as two copies of what is learnt.
    AdamW& optimizer(const Trained& what);
    int threads() const { return static_cast<int>(workers_.size()); }  // each has a gradient of its own

private:
    class Worker;
    void check(const hone_batch& batch) const;
    hone_stepped accumulate(const Trained& what, const hone_batch& batch, const hone_step& step);
    void zero_gradients(const Trained& what, std::size_t shards);
    void reduce(std::size_t shards);
    Model model_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::optional<AdamW> optimizer_;
};

}  // namespace hone::lm
