// The network by the kernels of this folder: float32, one thread.
#include "torch_lm/model/network.hpp"
#include <algorithm>
#include "torch_lm/host/gemm.hpp"
#include "torch_lm/host/layers.hpp"

namespace hone::lm {
namespace {

using host::floats;

class HostNetwork : public Network {
public:
    explicit HostNetwork(const Config& config) : layers_(config) {}

    void forward(const Parameters& weights, const Packed& pass, std::span<const std::int64_t> rows) override {
        layers_.forward(operations_, weights, pass, activations_, false);
        read_out(weights, rows);
    }

    void forward_kept(const Parameters& weights, const Adapter*, const Packed& pass,
                      std::span<const std::int64_t> rows) override {
        layers_.forward(operations_, weights, pass, activations_, true);
        read_out(weights, rows);
    }

    void forward_cached(const Parameters& weights, const Packed& pass, std::span<const std::int64_t> rows,
                        const KvCache& cache) override {
        const host::CacheMemory memory{floats(cache.memory()), c().layers};
        layers_.forward(operations_, weights, pass, activations_, false, &memory);
        read_out(weights, rows);
    }

    void logits(float* to) override { std::copy_n(logits_.data(), n() * c().vocabulary, to); }

    void score(std::span<const std::int32_t> targets, float temperature, const TokenScores& to) override {
        targets_.assign(targets.begin(), targets.end());
        temperature_ = temperature;
        log_sum_.resize(targets.size()), entropy_.resize(targets.size());
        for (std::int64_t r = 0; r < n(); ++r)
            host::token_logp(row(r), c().vocabulary, temperature, targets[r], to.logp[r], entropy_[r], log_sum_[r]);
        std::copy(entropy_.begin(), entropy_.end(), to.entropy);
    }

    void backward(const float* weight, const float* entropy_weight, Gradient& to) override {
        Parameters& gradient = *to.weights;
        for (std::int64_t r = 0; r < n(); ++r)
            host::token_logp_gradient(row(r), c().vocabulary, temperature_, targets_[r], log_sum_[r], entropy_[r],
                                      weight[r], entropy_weight[r]);
        const std::int64_t width = c().width, tokens = operations_.rows();
        host::linear_weight_gradient(logits_.data(), outputs_.data(), floats(gradient.head), n(), width,
                                     c().vocabulary);
        host::linear_input_gradient(logits_.data(), floats(weights_->head), outputs_.data(), n(), width,
                                    c().vocabulary);
        d_normed_.reserve(static_cast<std::size_t>(tokens * width));
        std::fill_n(d_normed_.data(), tokens * width, 0.0f);
        for (std::int64_t r = 0; r < n(); ++r)
            std::copy_n(outputs_.data() + r * width, width, d_normed_.data() + rows_[r] * width);
        layers_.backward(operations_, *weights_, activations_, d_normed_.data(), gradient, gradient_scratch_);
    }

private:
    const Config& c() const { return layers_.config(); }
    std::int64_t n() const { return static_cast<std::int64_t>(rows_.size()); }
    float* row(std::int64_t r) { return logits_.data() + r * c().vocabulary; }

    void read_out(const Parameters& weights, std::span<const std::int64_t> rows) {
        weights_ = &weights, rows_ = rows;
        outputs_.reserve(static_cast<std::size_t>(n() * c().width));
        logits_.reserve(static_cast<std::size_t>(n() * c().vocabulary));
        for (std::int64_t r = 0; r < n(); ++r)
            std::copy_n(activations_.normed + rows[r] * c().width, c().width, outputs_.data() + r * c().width);
        host::linear(outputs_.data(), floats(weights.head), logits_.data(), n(), c().width, c().vocabulary);
    }

    host::Layers layers_;
    host::Operations operations_;
    host::Activations activations_;
    host::Block outputs_, logits_, d_normed_, gradient_scratch_;
    const Parameters* weights_ = nullptr;  // of the last pass, like all below
    std::span<const std::int64_t> rows_;
    float temperature_ = 1;
    std::vector<std::int32_t> targets_;
    std::vector<float> entropy_, log_sum_, scratch_;
};

}  // namespace

std::unique_ptr<Network> make_host_network(const Model& model) { return std::make_unique<HostNetwork>(model.config); }

}  // namespace hone::lm
