// The network by LibTorch's operators, on a GPU or the host. Everything is asked for in order and happens later; what
// comes back to the host waits for it.
#include "torch_lm/model/network.hpp"
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include "torch_lm/model/tensors.hpp"
#include "torch_lm/transformer/draw.hpp"
#include "torch_lm/transformer/layer.hpp"
#include "torch_lm/transformer/operations.hpp"
#include "torch_lm/transformer/token_scores.hpp"

namespace hone::lm {
namespace {

// A piece of the computation whose gradient is taken on its own: a layer, or the final norm. Its weights' gradients go
// into the float32 sum as soon as they are known.
struct Segment {
    at::Tensor in, out;
    std::vector<at::Tensor> leaves;
};

at::Tensor leaf(const at::Tensor& of) { return of.defined() ? of.detach().requires_grad_() : of; }

template <class Body> void each_weight(LayerWeights& w, const Body& body) {
    for (auto* tensor :
         {&w.attention_norm, &w.qkv, &w.qkv_bias, &w.q_norm, &w.k_norm, &w.out, &w.mlp_norm, &w.gate_up, &w.down})
        if (tensor->defined()) body(*tensor);
}

template <class Body> void each_weight(LayerAdapter& by, const Body& body) {
    for (LowRank* pair : {&by.q, &by.k, &by.v, &by.out, &by.gate, &by.up, &by.down}) body(pair->a), body(pair->b);
}

class Transformer : public Network {
public:
    explicit Transformer(const Model& model) : c_(model.config), place_(model.place) {
        std::vector<double> frequencies;
        for (std::int64_t i = 0; i < c_.head_width / 2; ++i) frequencies.push_back(c_.rope_frequency(i));
        frequencies_ = at::tensor(frequencies, at::TensorOptions(at::kDouble)).to(device_of(place_));
    }

    void forward(const Parameters& weights, const Packed& packed, std::span<const std::int64_t> rows) override {
        run(weights, upload(packed, c_, place_, frequencies_), rows);
    }

    void forward_kept(const Parameters& weights, const Adapter* adapter, const Packed& packed,
                      std::span<const std::int64_t> rows) override {
        const c10::InferenceMode trained(false);
        const c10::AutoGradMode grad(true);
        pass_ = upload(packed, c_, place_, frequencies_);
        weights_ = &weights;
        train(weights, adapter, rows);
    }

    void forward_cached(const Parameters& weights, const Packed& packed, std::span<const std::int64_t> rows,
                        const KvCache& cache) override {
        TensorPass pass = upload(packed, c_, place_, frequencies_);
        attach(pass, packed, c_, cache);
        run(weights, pass, rows);
    }

    void logits(float* to) override {
        view_of(to, {outputs_.size(0), c_.vocabulary}).copy_(logits_of(outputs_, weights_->head));
    }

    void draw(const DrawRule* rules, TokenDraw* to) override {
        const at::Tensor logits = logits_of(outputs_, weights_->head);
        if (!logits.device().is_cpu()) return draw_tokens(logits, rules, to);
        const float* row = logits.const_data_ptr<float>();
        for (std::int64_t r = 0; r < logits.size(0); ++r, row += c_.vocabulary)
            to[r] = draw_token(row, c_.vocabulary, rules[r], scratch_);
    }

    void score(std::span<const std::int32_t> targets, float temperature, const TokenScores& to) override {
        const auto n = static_cast<std::int64_t>(targets.size());
        const c10::InferenceMode trained(false);
        const at::NoGradGuard no_gradients;
        targets_ = view_of(targets.data(), {n}).to(device_of(place_), at::kLong);
        temperature_ = temperature;
        const RowScores scores = score_rows(outputs_, weights_->head, targets_, temperature);
        view_of(to.logp, {n}).copy_(scores.logp);
        view_of(to.entropy, {n}).copy_(scores.entropy);
    }

    void backward(const float* weight, const float* entropy_weight, Gradient& gradient) override {
        const c10::InferenceMode trained(false);
        Parameters* all = gradient.weights ? &*gradient.weights : nullptr;
        at::Tensor d = outputs_gradient(weight, entropy_weight, all ? all->head : at::Tensor());
        const c10::AutoGradMode grad(true);
        d = back(final_, d, [&](auto add) {
            if (all) add(all->norm);
        });
        for (std::size_t l = layers_.size(); l-- > 0;)
            d = back(layers_[l], d, [&](auto add) {
                if (all) each_weight(all->layers[l], add);
                else each_weight(gradient.adapter->layers[l], add);
            });
        const at::NoGradGuard no_gradients;
        if (all) all->embedding.index_put_({pass_.ids}, d.to(at::kFloat), /*accumulate=*/true);
    }

private:
    at::Tensor here(const float* from) const { return view_of(from, {targets_.size(0)}).to(device_of(place_)); }
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
        return score_gradient(outputs_, weights_->head, targets_, temperature_, here(weight), here(entropy_weight),
                              d_head);
    }

    // Fills the segments.
    void train(const Parameters& weights, const Adapter* adapter, std::span<const std::int64_t> rows) {
        layers_.clear();
        at::Tensor x = weights.embedding.detach().index_select(0, pass_.ids).to(activations_of(place_));
        for (std::int64_t l = 0; l < c_.layers; ++l) {
            LayerWeights w = weights.layers[l];
            LayerAdapter by = adapter ? adapter->layers[l] : LayerAdapter();
            Segment& segment = layers_.emplace_back();
            segment.in = leaf(x);
            const auto learn = [&](at::Tensor& tensor) { segment.leaves.push_back(tensor = leaf(tensor)); };
            if (adapter) each_weight(by, learn);
            else each_weight(w, learn);
            segment.out =
                run_layer(c_, pass_, {l, w, adapter ? &by : nullptr, adapter ? adapter->scale() : 1}, segment.in);
            x = segment.out.detach();
        }
        final_.in = leaf(x);
        at::Tensor norm = weights.norm;
        if (!adapter) final_.leaves = {norm = leaf(norm)};
        final_.out = rms_norm(final_.in.index_select(0, index(rows)), norm, c_.norm_epsilon);
        outputs_ = final_.out.detach();
    }

    // Returns the gradient with respect to the segment's input; sums: calls its argument with the sum of each leaf's.
    template <class Sums> static at::Tensor back(Segment& segment, const at::Tensor& d_out, const Sums& sums) {
        segment.out.backward(d_out);
        const at::NoGradGuard no_gradients;
        auto next = segment.leaves.begin();
        sums([&](at::Tensor& sum) { sum.add_(next++->grad()); });
        at::Tensor d_in = segment.in.grad();
        segment = {};  // its memory is free for the next
        return d_in;
    }

    Config c_;
    Place place_;
    at::Tensor frequencies_;
    const Parameters* weights_ = nullptr;  // of the last pass, like all below
    at::Tensor outputs_, targets_;
    double temperature_ = 1;
    std::vector<float> scratch_;
    TensorPass pass_;  // of a pass that is kept
    std::vector<Segment> layers_;
    Segment final_;
};

}  // namespace

std::unique_ptr<Network> make_transformer(const Model& model) { return std::make_unique<Transformer>(model); }

}  // namespace hone::lm
