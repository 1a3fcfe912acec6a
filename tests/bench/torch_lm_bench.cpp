// Tokens a second of the tiny model in training and sampling, the share of the machine's matrix-product peak that they
// amount to, and the same by LibTorch's operators: what the kernels of host/ are for.
//     torch_lm_bench [threads]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "timing.hpp"
#include "torch_lm/host/gemm.hpp"
#include "torch_lm/learning/learner.hpp"
#include "torch_lm/model/parallel.hpp"
#include "torch_lm/sampling/sampler.hpp"

namespace {

using namespace hone::lm;
using hone::bench::best_of;

// flop/s of products of the model's own shape (tokens x width x gate and up), one a thread
double product_peak(const Config& c, int threads) {
    constexpr std::int64_t n = 512;
    constexpr int products = 40;
    const std::int64_t out = 2 * c.mlp_width;
    std::vector<std::vector<float>> x(threads, std::vector<float>(n * c.width, 1)),
        w(threads, std::vector<float>(out * c.width, 1)), y(threads, std::vector<float>(n * out));
    const double seconds = best_of(5, [&] {
        on_threads(threads, [&](int slot) {
            for (int i = 0; i < products; ++i)
                host::linear(x[slot].data(), w[slot].data(), y[slot].data(), n, c.width, out);
        });
    });
    return 2.0 * static_cast<double>(n * c.width * out) * products * threads / seconds;
}

struct Timing {
    double tokens_per_second, flops_per_token;
};

// timing: of a place
void print(const char* what, const std::function<Timing(Place)>& timing, double peak) {
    const Timing kernels = timing({}), torch = timing({.torch = true});
    std::printf("%-44s %7.0f tok/s, %4.1f %% of the product peak; by LibTorch %7.0f: %.2fx\n", what,
                kernels.tokens_per_second, 100 * kernels.tokens_per_second * kernels.flops_per_token / peak,
                torch.tokens_per_second, kernels.tokens_per_second / torch.tokens_per_second);
}

// forward, backward and step on `sequences` of `length`; every token but the first weighted
Timing training(const Config& c, Place place, int threads, int sequences, int length) {
    Parameters weights(c);
    initialize(weights, c, 1);
    Learner learner({c, place}, threads);
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> begin{0};
    for (int s = 0; s < sequences; ++s) {
        for (int t = 0; t < length; ++t) ids.push_back((s * 31 + t * 7) % static_cast<int>(c.vocabulary));
        begin.push_back(static_cast<std::int64_t>(ids.size()));
    }
    const std::vector<float> weight(ids.size(), 1.0f / static_cast<float>(ids.size()));
    const hone_batch batch{ids.data(), begin.data(), static_cast<std::uint32_t>(sequences), 1.0};
    const hone_step step{.lr = 1e-3, .max_grad_norm = 1, .weight_decay = 0.05, .weight = weight.data()};
    const double seconds = best_of(8, [&] { learner.learn(weights, batch, step); });
    // causal: half of 12 n width a token
    const double attention = 6.0 * static_cast<double>(c.layers * c.q_width()) * length;
    return {static_cast<double>(ids.size()) / seconds, 6.0 * static_cast<double>(weights.size()) + attention};
}

Timing sampling(const Config& c, Place place, int threads, int answers, int group, int prompt, int length) {
    Config endless = c;
    endless.eos.clear();
    Parameters weights(c);
    initialize(weights, c, 1);
    const Model model{endless, place};
    Sampler sampler(model, threads, 256);
    std::int64_t tokens = 0;
    const double seconds = best_of(3, [&] {
        int left = answers;
        tokens = 0;
        const auto take = [&](bool) -> std::unique_ptr<SampleRequest> {
            if (left <= 0) return nullptr;
            left -= group;
            return std::make_unique<SampleRequest>(SampleRequest{0,
                                                                 static_cast<std::uint64_t>(left + 1),
                                                                 std::vector<std::int32_t>(prompt, 7),
                                                                 static_cast<std::uint32_t>(group),
                                                                 {},
                                                                 length});
        };
        sampler.run(weights, {take,
                              [&] { return left <= 0; },
                              [&](const SampledAnswer& a) { tokens += static_cast<std::int64_t>(a.ids.size()); },
                              {}});
    });
    const double attention = 4.0 * static_cast<double>(c.layers * c.q_width()) * (prompt + length / 2);
    return {static_cast<double>(tokens) / seconds, 2.0 * static_cast<double>(weights.size()) + attention};
}

}  // namespace

int main(int argc, char** argv) {
    const Config config;
    const int threads = use_threads(argc > 1 ? std::atoi(argv[1]) : 0);
    const double peak = product_peak(config, threads);
    std::printf("tiny model, %d threads, product peak %.0f Gflop/s\n", threads, peak / 1e9);
    for (const auto [sequences, length] : {std::pair(16, 128), std::pair(32, 128), std::pair(16, 384)}) {
        char text[64];
        std::snprintf(text, sizeof text, "training, %d sequences of %d", sequences, length);
        print(
            text, [&](Place place) { return training(config, place, threads, sequences, length); }, peak);
    }
    struct {
        int answers, prompt, length;
    } const loads[] = {{16, 24, 100}, {64, 24, 100}, {168, 24, 100}, {256, 24, 100}, {168, 24, 50}, {64, 300, 100}};
    for (const auto& load : loads) {
        char text[64];
        std::snprintf(text, sizeof text, "sampling, %d answers, prompt %d, %d new", load.answers, load.prompt,
                      load.length);
        const auto timing = [&](Place place) {
            return sampling(config, place, threads, load.answers, 8, load.prompt, load.length);
        };
        print(text, timing, peak);
    }
}
