#include "torch_lm/learning/learner.hpp"
#include <ATen/ops/linalg_vector_norm.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include "hone/plugin.hpp"
#include "torch_lm/learning/memory_plan.hpp"
#include "torch_lm/model/parallel.hpp"

namespace hone::lm {
namespace {

std::vector<bool> weighted_tokens(const hone_batch& batch, const hone_step& step) {
    std::vector<bool> wanted(batch.begin[batch.n]);
    for (std::size_t t = 0; t < wanted.size(); ++t)
        wanted[t] = step.weight[t] != 0 || (step.entropy_weight && step.entropy_weight[t] != 0);
    return wanted;
}

// Those that the update trains: with a weight, and not the first of a sequence, which nothing predicts.
std::int64_t trained_tokens(const hone_batch& batch, const float* weight, const float* entropy_weight) {
    std::int64_t count = 0;
    for (std::uint32_t i = 0; i < batch.n; ++i)
        for (std::int64_t t = batch.begin[i] + 1; t < batch.begin[i + 1]; ++t)
            count += weight[t] != 0 || (entropy_weight && entropy_weight[t] != 0);
    return count;
}

}  // namespace

// One thread's: the network, what it was asked, its own share of the gradient.
class Learner::Worker {
public:
    explicit Worker(const Model& model) : network_(make_network(model)) {}

    void forward(const Parameters& weights, const Shard& shard, float temperature) {
        ask(shard);
        network_->forward(weights, shard.packed, before_);
        network_->score(targets_, temperature, {logp_.data(), entropy_.data()});
    }

    void forward_kept(const Trained& what, const Shard& shard, float temperature) {
        ask(shard);
        network_->forward_kept(what.adapter ? *what.base : what.weights, what.adapter, shard.packed, before_);
        network_->score(targets_, temperature, {logp_.data(), entropy_.data()});
    }

    // Adds the gradient of minus the objective; weights of tokens by their index in the batch. Returns the objective.
    double backward(const Shard& shard, const float* weight, const float* entropy_weight) {
        double objective = 0;
        for (std::size_t r = 0; r < shard.rows.size(); ++r) {
            const float w = weight[shard.rows[r].in_batch],
                        e = entropy_weight ? entropy_weight[shard.rows[r].in_batch] : 0;
            objective += static_cast<double>(w) * logp_[r] + static_cast<double>(e) * entropy_[r];
            weight_[r] = -w, entropy_weight_[r] = -e;
        }
        network_->backward(weight_.data(), entropy_weight_.data(), *gradient);
        return objective;
    }

    void copy_scores(const Shard& shard, float* logp, float* entropy) const {
        for (std::size_t r = 0; r < shard.rows.size(); ++r) {
            logp[shard.rows[r].in_batch] = logp_[r];
            if (entropy) entropy[shard.rows[r].in_batch] = entropy_[r];
        }
    }

    std::optional<Gradient> gradient;  // where the model lies

private:
    void ask(const Shard& shard) {
        before_.clear(), targets_.clear();
        for (const Shard::Row& row : shard.rows) before_.push_back(row.before), targets_.push_back(row.target);
        for (auto* list : {&logp_, &entropy_, &weight_, &entropy_weight_}) list->resize(shard.rows.size());
    }
    std::unique_ptr<Network> network_;
    std::vector<std::int64_t> before_;
    std::vector<std::int32_t> targets_;
    std::vector<float> logp_, entropy_, weight_, entropy_weight_;  // of the asked rows
};

Learner::Learner(const Model& model, int threads) : model_(model) {
    for (int i = 0; i < workers(model.place, threads); ++i) workers_.push_back(std::make_unique<Worker>(model));
}

Learner::~Learner() = default;

AdamW& Learner::optimizer(const Trained& what) {
    if (!optimizer_) optimizer_.emplace(what.values());
    return *optimizer_;
}

const Gradient& Learner::gradient() const { return *workers_[0]->gradient; }

void Learner::check(const hone_batch& batch) const {
    if (!(batch.temperature > 0))
        throw Refused("the temperature of log-probabilities is " + std::to_string(batch.temperature) +
                      "; it must be above 0");
    for (std::uint32_t i = 0; i < batch.n; ++i) {
        const std::int64_t n = batch.begin[i + 1] - batch.begin[i];
        if (n < 1 || n > model_.config.context)
            throw Refused("sequence " + std::to_string(i + 1) + " has " + std::to_string(n) +
                          " tokens; the model takes 1 to " + std::to_string(model_.config.context));
        for (std::int64_t t = batch.begin[i]; t < batch.begin[i + 1]; ++t)
            if (batch.ids[t] < 0 || batch.ids[t] >= model_.config.vocabulary)
                throw Refused("sequence " + std::to_string(i + 1) + " holds the token " + std::to_string(batch.ids[t]) +
                              "; the vocabulary has " + std::to_string(model_.config.vocabulary));
    }
}

void Learner::score(const Parameters& weights, const hone_batch& batch, float* logp, float* entropy) {
    check(batch);
    std::fill_n(logp, batch.begin[batch.n], 0.0f);
    if (entropy) std::fill_n(entropy, batch.begin[batch.n], 0.0f);
    if (!batch.n) return;
    const auto shards = make_shards(batch, pass_tokens(model_.place), threads(), nullptr);
    const int slots = std::min<int>(threads(), static_cast<int>(shards.size()));
    on_threads(slots, [&](int slot) {
        for (std::size_t s = slot; s < shards.size(); s += slots) {
            workers_[slot]->forward(weights, shards[s], static_cast<float>(batch.temperature));
            workers_[slot]->copy_scores(shards[s], logp, entropy);
        }
    });
}

hone_stepped Learner::accumulate(const Trained& what, const hone_batch& batch, const hone_step& step) {
    const std::vector<bool> wanted = step.weigh ? std::vector<bool>() : weighted_tokens(batch, step);
    const auto shards = make_shards(batch, learnt_tokens(model_), threads(), step.weigh ? nullptr : &wanted);
    const auto temperature = static_cast<float>(batch.temperature);
    const std::size_t size = step.weigh ? batch.begin[batch.n] : 0;
    std::vector<float> logp(size), entropy(size), weight(size), entropy_weight(size);
    std::vector<double> objective(shards.size());
    zero_gradients(what, shards.size());
    for (std::size_t first = 0; first < shards.size(); first += threads()) {
        const int slots = static_cast<int>(std::min<std::size_t>(threads(), shards.size() - first));
        on_threads(slots, [&](int slot) {
            workers_[slot]->forward_kept(what, shards[first + slot], temperature);
            if (step.weigh) workers_[slot]->copy_scores(shards[first + slot], logp.data(), entropy.data());
            else
                objective[first + slot] =
                    workers_[slot]->backward(shards[first + slot], step.weight, step.entropy_weight);
        });
        if (!step.weigh) continue;
        for (int slot = 0; slot < slots; ++slot)
            for (const std::uint32_t i : shards[first + slot].sequences) {
                const std::int64_t at = batch.begin[i];
                step.weigh(step.ctx, i, &logp[at], &entropy[at], &weight[at], &entropy_weight[at]);
            }
        on_threads(slots, [&](int slot) {
            objective[first + slot] =
                workers_[slot]->backward(shards[first + slot], weight.data(), entropy_weight.data());
        });
    }
    reduce(shards.size());
    hone_stepped sum{};
    for (const double part : objective) sum.objective += part;
    sum.tokens = step.weigh ? trained_tokens(batch, weight.data(), entropy_weight.data())
                            : trained_tokens(batch, step.weight, step.entropy_weight);
    return sum;
}

// Memory is taken when the first update comes: a policy that only samples needs none.
void Learner::zero_gradients(const Trained& what, std::size_t shards) {
    Place wide = model_.place;
    wide.bfloat16 = false;
    for (std::size_t w = 0; w < std::min(workers_.size(), shards); ++w) {
        auto& gradient = workers_[w]->gradient;
        if (gradient) gradient->values().zero_();
        else if (what.adapter)
            gradient.emplace().adapter.emplace(model_.config, what.adapter->rank(), what.adapter->alpha(), wide);
        else gradient.emplace().weights.emplace(model_.config, wide);
    }
}

void Learner::reduce(std::size_t shards) {
    for (std::size_t w = 1; w < std::min(workers_.size(), shards); ++w)
        workers_[0]->gradient->values().add_(workers_[w]->gradient->values());
}

hone_stepped Learner::learn(const Trained& what, const hone_batch& batch, const hone_step& step) {
    check(batch);
    if (!batch.n) return {};
    hone_stepped result = accumulate(what, batch, step);
    const at::Tensor& gradient = this->gradient().values();
    result.grad_norm = at::linalg_vector_norm(gradient, 2, c10::nullopt, false, at::kDouble).item<double>();
    result.applied = std::isfinite(result.grad_norm) && std::isfinite(result.objective);
    if (!result.applied) return result;
    const double scale = step.max_grad_norm > 0 ? std::min(1.0, step.max_grad_norm / (result.grad_norm + 1e-6)) : 1.0;
    optimizer(what).step(what.values(), gradient, static_cast<float>(scale), step.lr, step.weight_decay);
    if (what.adapter) what.adapter->merge(*what.base, what.weights);
    return result;
}

}  // namespace hone::lm
