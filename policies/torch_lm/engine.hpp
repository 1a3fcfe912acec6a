// engine.hpp: a model with all that works on it, replaced as a whole when the architecture or the weights change.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include "torch_lm/format/checkpoint.hpp"
#include "torch_lm/learning/learner.hpp"
#include "torch_lm/sampling/sampler.hpp"
#include "torch_lm/text/render.hpp"

namespace hone::lm {

struct EngineOptions {
    std::string template_name;  // empty: as the files say
    std::string source;         // of the weights, for those who read an adapter
    Place place;                // what the device and the type of numbers leave open is chosen by the model
    int threads;
    std::int64_t batch;
    std::int64_t rank;  // of an adapter; 0: all weights are learnt
    double alpha;       // of an adapter
    std::uint64_t seed;
};

class Engine {
public:
    Engine(Checkpoint from, const EngineOptions& options);  // from: on the host
    const Config& config() const { return model_.config; }
    Place place() const { return model_.place; }
    const Tokenizer& tokenizer() const { return tokenizer_; }
    const ChosenTemplate& chat() const { return chosen_; }
    const Parameters& weights() const { return weights_; }
    std::uint64_t version() const { return version_; }  // updates behind the weights

    Rendered render(std::span<const hone_message> messages, bool open);
    Sampler& sampler() { return sampler_; }
    // frozen: with the weights as first loaded
    void score(const hone_batch& batch, bool frozen, float* logp, float* entropy);
    hone_stepped learn(const hone_batch& batch, const hone_step& step);

    // A Hugging Face folder of the weights, with what a resumed run needs where it is asked for; of an adapter also its
    // own folder, for PEFT.
    void save(const std::string& folder, bool resume);
    void resume(const std::string& folder);  // what `save` has put beside the weights
    // Takes over what `before` first loaded, if the two are of one model. folder: where these weights came from.
    void follow(Engine& before, const std::string& folder);

private:
    Trained trained() { return adapter_ ? Trained(weights_, *base_, *adapter_) : Trained(weights_); }
    const std::vector<NamedTensor>& learnt() const { return adapter_ ? adapter_->tensors : weights_.tensors; }
    EngineOptions options_;
    Tokenizer tokenizer_;
    ChosenTemplate chosen_;
    Model model_;
    Parameters weights_;
    std::shared_ptr<const Parameters> base_;    // under an adapter
    std::string base_name_;                     // where that came from
    std::shared_ptr<const Parameters> frozen_;  // as first loaded, once the weights have changed
    std::optional<Adapter> adapter_;
    std::uint64_t version_ = 0;
    bool learns_ = false;  // the memory for updates was there
    Learner learner_;
    Sampler sampler_;
};

}  // namespace hone::lm
