// The network by LibTorch's operators, on a GPU or the host. Everything is asked for in order and happens later; what
// comes back to the host waits for it.
#include "torch_lm/model/network.hpp"
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include "torch_lm/model/tensors.hpp"
#include "torch_lm/transformer/kept_pass.hpp"
#include "torch_lm/transformer/operations.hpp"
#include "torch_lm/transformer/token_scores.hpp"

namespace hone::lm {
namespace {

class Transformer : public Network {
public:
    explicit Transformer(const Model& model) : c_(model.config), place_(model.place), kept_(model) {
        if (place_.gpu != on_host && gpu::misfit(c_).empty()) targets_.kernels = &gpu::Kernels::of(c_, place_);
        std::vector<double> frequencies;
        for (std::int64_t i = 0; i < c_.head_width / 2; ++i) frequencies.push_back(c_.rope_frequency(i));
        frequencies_ = at::tensor(frequencies, at::TensorOptions(at::kDouble)).to(device_of(place_));
    }

    void forward(const Parameters& weights, const Packed& packed, std::span<const std::int64_t> rows) override {
        run(weights, uploaded(packed), rows);
    }

    void forward_kept(const Parameters& weights, const Adapter* adapter, const Packed& packed,
                      std::span<const std::int64_t> rows) override {
        const c10::InferenceMode trained(false);
        weights_ = &weights;
        outputs_ = kept_.forward(weights, adapter, uploaded(packed), index(rows));
    }

    void forward_cached(const Parameters& weights, const Packed& packed, std::span<const std::int64_t> rows,
                        const KvCache& cache) override {
        TensorPass pass = uploaded(packed);
        attach(pass, packed, c_, cache);
        run(weights, pass, rows);
    }

    void logits(float* to) override {
        view_of(to, {outputs_.size(0), c_.vocabulary}).copy_(logits_of(outputs_, weights_->head));
    }

    void score(std::span<const std::int32_t> targets, float temperature, const TokenScores& to) override {
        const auto n = static_cast<std::int64_t>(targets.size());
        const c10::InferenceMode trained(false);
        const at::NoGradGuard no_gradients;
        targets_.head = weights_->head;
        targets_.tokens = view_of(targets.data(), {n}).to(device_of(place_), at::kLong);
        targets_.temperature = temperature;
        scores_ = score_rows(outputs_, targets_);
        view_of(to.logp, {n}).copy_(scores_.logp);
        view_of(to.entropy, {n}).copy_(scores_.entropy);
    }

    void backward(const float* weight, const float* entropy_weight, Gradient& gradient) override {
        const c10::InferenceMode trained(false);
        const at::Tensor d_head = gradient.weights ? gradient.weights->head : at::Tensor();
        kept_.backward(outputs_gradient(weight, entropy_weight, d_head), gradient);
    }

private:
    TensorPass uploaded(const Packed& packed) const {
        TensorPass pass = upload(packed, place_, frequencies_);
        pass.kernels = targets_.kernels;
        return pass;
    }
    at::Tensor here(const float* from) const { return view_of(from, {targets_.tokens.size(0)}).to(device_of(place_)); }
    at::Tensor index(std::span<const std::int64_t> rows) const {
        return view_of(rows.data(), {static_cast<std::int64_t>(rows.size())}).to(device_of(place_));
    }

    void run(const Parameters& weights, const TensorPass& pass, std::span<const std::int64_t> rows) {
        weights_ = &weights;
        at::Tensor x = weights.embedding.index_select(0, pass.ids).to(activations_of(place_));
        for (std::int64_t l = 0; l < c_.layers; ++l) x = run_layer(c_, pass, {l, weights.layers[l]}, x);
        outputs_ = rms_norm(x.index_select(0, index(rows)), weights.norm, c_.norm_epsilon);
    }

    at::Tensor outputs_gradient(const float* weight, const float* entropy_weight, const at::Tensor& d_head) const {
        const at::NoGradGuard no_gradients;
        return score_gradient(outputs_, targets_, scores_, {here(weight), here(entropy_weight)}, d_head);
    }

    Config c_;
    Place place_;
    at::Tensor frequencies_;
    const Parameters* weights_ = nullptr;  // of the last pass, like all below
    at::Tensor outputs_;
    TokenTargets targets_;
    RowScores scores_;
    KeptPass kept_;
};

}  // namespace

std::unique_ptr<Network> make_transformer(const Model& model) { return std::make_unique<Transformer>(model); }

}  // namespace hone::lm
