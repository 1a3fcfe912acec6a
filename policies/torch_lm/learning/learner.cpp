#include "torch_lm/learning/learner.hpp"
#include <algorithm>
#include <cmath>
#include <string>
#include "hone/plugin.hpp"
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

// One thread's memory: activations, logits of the asked rows, its own share of the gradient.
class Learner::Worker {
public:
    explicit Worker(const Model& model)
        : model_(model), device_(make_device(model.place())), activations_(model.place().gpu) {}

    void forward(const Parameters& weights, const Shard& shard, float temperature, bool keep) {
        const Config& c = model_.config();
        const auto rows = static_cast<std::int64_t>(shard.rows.size());
        model_.forward(*device_, weights, shard.packed, activations_, keep);
        before_.clear(), targets_.clear();
        for (const Shard::Row& row : shard.rows) before_.push_back(row.before), targets_.push_back(row.target);
        for (auto* list : {&logp_, &entropy_, &log_sum_, &weight_, &entropy_weight_}) list->resize(shard.rows.size());
        outputs_.reserve(rows * c.width);
        logits_.reserve(rows * c.vocabulary);
        device_->gather(activations_.normed, before_.data(), rows, c.width, outputs_.data());
        device_->linear(outputs_.data(), weights.head, logits_.data(), rows, c.width, c.vocabulary);
        device_->token_logp(logits_.data(), targets_.data(), rows, c.vocabulary, temperature, scores());
    }

    // Adds the gradient of minus the objective; weights of tokens by their index in the batch. Returns the objective.
    double backward(const Parameters& weights, const Shard& shard, float temperature, const float* weight,
                    const float* entropy_weight) {
        const Config& c = model_.config();
        const auto rows = static_cast<std::int64_t>(shard.rows.size());
        double objective = 0;
        for (std::int64_t r = 0; r < rows; ++r) {
            const float w = weight[shard.rows[r].in_batch],
                        e = entropy_weight ? entropy_weight[shard.rows[r].in_batch] : 0;
            objective += static_cast<double>(w) * logp_[r] + static_cast<double>(e) * entropy_[r];
            weight_[r] = -w, entropy_weight_[r] = -e;
        }
        device_->token_logp_gradient(logits_.data(), targets_.data(), rows, c.vocabulary, temperature, scores(),
                                     weight_.data(), entropy_weight_.data());
        if (!gradient) gradient = std::make_unique<Parameters>(c, model_.place().gpu);
        device_->linear_weight_gradient(logits_.data(), outputs_.data(), gradient->head, rows, c.width, c.vocabulary);
        device_->linear_input_gradient(logits_.data(), weights.head, outputs_.data(), rows, c.width, c.vocabulary);
        d_normed_.reserve(shard.packed.tokens() * c.width);
        device_->zero(d_normed_.data(), shard.packed.tokens() * c.width);
        device_->scatter(outputs_.data(), before_.data(), rows, c.width, d_normed_.data());
        model_.backward(*device_, weights, shard.packed.tokens(), activations_, d_normed_.data(), *gradient, scratch_);
        return objective;
    }

    double norm() const {
        return std::sqrt(
            device_->sum_of_squares(gradient->values.data(), static_cast<std::int64_t>(gradient->values.size())));
    }

    void copy_scores(const Shard& shard, float* logp, float* entropy) const {
        for (std::size_t r = 0; r < shard.rows.size(); ++r) {
            logp[shard.rows[r].in_batch] = logp_[r];
            if (entropy) entropy[shard.rows[r].in_batch] = entropy_[r];
        }
    }

    std::unique_ptr<Parameters> gradient;

private:
    TokenScores scores() { return {logp_.data(), entropy_.data(), log_sum_.data()}; }
    const Model& model_;
    std::unique_ptr<Device> device_;
    Activations activations_;
    Block outputs_{0, model_.place().gpu}, logits_ = outputs_, d_normed_ = outputs_, scratch_ = outputs_;
    std::vector<std::int64_t> before_;
    std::vector<std::int32_t> targets_;
    std::vector<float> logp_, entropy_, log_sum_, weight_, entropy_weight_;  // of the asked rows
};

Learner::Learner(const Model& model, int threads)
    : model_(model), optimizer_(Parameters(model.config()).values.size(), model.place().gpu) {
    for (int i = 0; i < workers(model.place(), threads); ++i) workers_.push_back(std::make_unique<Worker>(model));
}

Learner::~Learner() = default;

const Parameters& Learner::gradient() const { return *workers_[0]->gradient; }

void Learner::check(const hone_batch& batch) const {
    if (!(batch.temperature > 0))
        throw Refused("the temperature of log-probabilities is " + std::to_string(batch.temperature) +
                      "; it must be above 0");
    for (std::uint32_t i = 0; i < batch.n; ++i) {
        const std::int64_t n = batch.begin[i + 1] - batch.begin[i];
        if (n < 1 || n > model_.config().context)
            throw Refused("sequence " + std::to_string(i) + " has " + std::to_string(n) +
                          " tokens; the model takes 1 to " + std::to_string(model_.config().context));
        for (std::int64_t t = batch.begin[i]; t < batch.begin[i + 1]; ++t)
            if (batch.ids[t] < 0 || batch.ids[t] >= model_.config().vocabulary)
                throw Refused("sequence " + std::to_string(i) + " holds the token " + std::to_string(batch.ids[t]) +
                              "; the vocabulary has " + std::to_string(model_.config().vocabulary));
    }
}

void Learner::score(const Parameters& weights, const hone_batch& batch, float* logp, float* entropy) {
    check(batch);
    std::fill_n(logp, batch.begin[batch.n], 0.0f);
    if (entropy) std::fill_n(entropy, batch.begin[batch.n], 0.0f);
    if (!batch.n) return;
    const auto shards = make_shards(batch, pass_tokens(model_.place()), threads(), nullptr);
    const int slots = std::min<int>(threads(), static_cast<int>(shards.size()));
    on_threads(slots, [&](int slot) {
        for (std::size_t s = slot; s < shards.size(); s += slots) {
            workers_[slot]->forward(weights, shards[s], static_cast<float>(batch.temperature), false);
            workers_[slot]->copy_scores(shards[s], logp, entropy);
        }
    });
}

hone_stepped Learner::accumulate(const Parameters& weights, const hone_batch& batch, const hone_step& step) {
    const std::vector<bool> wanted = step.weigh ? std::vector<bool>() : weighted_tokens(batch, step);
    const auto shards = make_shards(batch, pass_tokens(model_.place()), threads(), step.weigh ? nullptr : &wanted);
    const auto temperature = static_cast<float>(batch.temperature);
    const std::size_t size = step.weigh ? batch.begin[batch.n] : 0;
    std::vector<float> logp(size), entropy(size), weight(size), entropy_weight(size);
    std::vector<double> objective(shards.size());
    for (std::size_t first = 0; first < shards.size(); first += threads()) {
        const int slots = static_cast<int>(std::min<std::size_t>(threads(), shards.size() - first));
        on_threads(slots, [&](int slot) {
            workers_[slot]->forward(weights, shards[first + slot], temperature, true);
            if (step.weigh) workers_[slot]->copy_scores(shards[first + slot], logp.data(), entropy.data());
            else
                objective[first + slot] = workers_[slot]->backward(weights, shards[first + slot], temperature,
                                                                   step.weight, step.entropy_weight);
        });
        if (!step.weigh) continue;
        for (int slot = 0; slot < slots; ++slot)
            for (const std::uint32_t i : shards[first + slot].sequences) {
                const std::int64_t at = batch.begin[i];
                step.weigh(step.ctx, i, &logp[at], &entropy[at], &weight[at], &entropy_weight[at]);
            }
        on_threads(slots, [&](int slot) {
            objective[first + slot] = workers_[slot]->backward(weights, shards[first + slot], temperature,
                                                               weight.data(), entropy_weight.data());
        });
    }
    hone_stepped sum{};
    for (const double part : objective) sum.objective += part;
    sum.tokens = step.weigh ? trained_tokens(batch, weight.data(), entropy_weight.data())
                            : trained_tokens(batch, step.weight, step.entropy_weight);
    return sum;
}

void Learner::reduce() {
    Block& sum = workers_[0]->gradient->values;
    for (std::size_t w = 1; w < workers_.size(); ++w)
        if (workers_[w]->gradient)
            add_to(sum.data(), workers_[w]->gradient->values.data(), static_cast<std::int64_t>(sum.size()));
}

hone_stepped Learner::learn(Parameters& weights, const hone_batch& batch, const hone_step& step) {
    check(batch);
    if (!batch.n) return {};
    for (auto& worker : workers_)
        if (worker->gradient) worker->gradient->values.zero();
    hone_stepped result = accumulate(weights, batch, step);
    reduce();
    result.grad_norm = workers_[0]->norm();
    result.applied = std::isfinite(result.grad_norm) && std::isfinite(result.objective);
    if (!result.applied) return result;
    const double scale = step.max_grad_norm > 0 ? std::min(1.0, step.max_grad_norm / (result.grad_norm + 1e-6)) : 1.0;
    optimizer_.step(weights.values, workers_[0]->gradient->values, static_cast<float>(scale), step.lr,
                    step.weight_decay);
    return result;
}

}  // namespace hone::lm
