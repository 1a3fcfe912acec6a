// network.hpp: the transformer as sampling and learning see it. Two things compute it: transformer/ by LibTorch's
// operators, for every model and device; host/ by kernels of our own, for small models on a CPU.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include "torch_lm/format/config.hpp"
#include "torch_lm/model/adapter.hpp"
#include "torch_lm/model/kv_cache.hpp"
#include "torch_lm/model/packed.hpp"
#include "torch_lm/model/parameters.hpp"
#include "torch_lm/model/place.hpp"

namespace hone::lm {

struct Model {
    Config config;
    Place place = {};
    // Bytes that a pass may keep for its gradient; above, each layer runs again when its gradient is wanted.
    double most_kept = place.gpu == on_host ? 2e9 : 0.5 * memory_of(place);
};
// Bytes that transformer/ keeps of each token of a pass; those that logits and their gradient take of a pass.
double kept_bytes(const Config& config, Place place);
double logits_bytes(const Config& config, Place place, std::int64_t tokens);

struct TokenScores {
    float *logp, *entropy;
};  // on the host, [rows]

// What an update changes: all weights, or an adapter of them. float32.
struct Gradient {
    std::optional<Parameters> weights;
    std::optional<Adapter> adapter;
    const at::Tensor& values() const { return adapter ? adapter->values : weights->values; }
};

// One thread's, with its memory. `rows` are those of a pass whose outputs are asked for; they, the pass and the weights
// outlive what is asked of them.
class Network {
public:
    virtual ~Network() = default;

    // Runs whole sequences.
    virtual void forward(const Parameters& weights, const Packed& pass, std::span<const std::int64_t> rows) = 0;
    // The same, and keeps what `backward` needs. adapter: changes the weights, and is what is learnt; may be null.
    virtual void forward_kept(const Parameters& weights, const Adapter* adapter, const Packed& pass,
                              std::span<const std::int64_t> rows) = 0;
    // The same with a cache: keys and values go to the pass's slots; a row that has blocks attends to them.
    virtual void forward_cached(const Parameters& weights, const Packed& pass, std::span<const std::int64_t> rows,
                                const KvCache& cache) = 0;

    // Of the last pass.
    virtual void logits(float* to) = 0;  // [rows][vocabulary], on the host
    // Log-probability of a target a row, and the entropy, of softmax(logits / temperature).
    virtual void score(std::span<const std::int32_t> targets, float temperature, const TokenScores& to) = 0;
    // Adds the gradient of sum(weight[r] * logp[r] + entropy_weight[r] * entropy[r]) to `gradient`. Behind
    // forward_kept and score.
    virtual void backward(const float* weight, const float* entropy_weight, Gradient& gradient) = 0;
};

std::unique_ptr<Network> make_network(const Model& model);
std::unique_ptr<Network> make_host_network(const Model& model);
std::unique_ptr<Network> make_transformer(const Model& model);
// Whether host/ knows the model: Llama's plain kind.
bool known_to_host(const Config& config);

}  // namespace hone::lm
