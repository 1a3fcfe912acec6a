// A local model on a GPU, against the limits of this machine: seconds of a decode step, and the share that reading the
// weights and the cache at the measured bandwidth would take; tokens learnt a second, and the share of the measured
// rate of matrix products. Random weights, bfloat16. Exit status 1 where what is sampled is not what is scored.
//     policy_bench SHAPE [answers,...] [learn]         SHAPE: 135m, 1.5b, 8b
//     policy_bench SHAPE answers,... profile           what the kernels of decode steps take, by torch's profiler
// tests/bench/policy_peers.py measures transformers in the same way.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include "kernel_times.hpp"
#include "timing.hpp"
#include "torch_lm/learning/learner.hpp"
#include "torch_lm/learning/memory_plan.hpp"
#include "torch_lm/model/tensors.hpp"
#include "torch_lm/sampling/sampler.hpp"

namespace {

using namespace hone::lm;
using hone::bench::best_of;

const std::map<std::string, Config> shapes = {{"135m",
                                               {.vocabulary = 49152,
                                                .width = 576,
                                                .layers = 30,
                                                .heads = 9,
                                                .kv_heads = 3,
                                                .head_width = 64,
                                                .mlp_width = 1536,
                                                .context = 8192}},
                                              {"1.5b",
                                               {.family = "qwen2",
                                                .vocabulary = 151936,
                                                .width = 1536,
                                                .layers = 28,
                                                .heads = 12,
                                                .kv_heads = 2,
                                                .head_width = 128,
                                                .mlp_width = 8960,
                                                .context = 8192,
                                                .qkv_bias = true}},
                                              {"8b",
                                               {.family = "qwen3",
                                                .vocabulary = 151936,
                                                .width = 4096,
                                                .layers = 36,
                                                .heads = 32,
                                                .kv_heads = 8,
                                                .head_width = 128,
                                                .mlp_width = 12288,
                                                .context = 8192,
                                                .qk_norm = true,
                                                .tied = false}}};

double bandwidth(Place place) {  // bytes a second of a copy, read and written
    const at::Tensor from = at::zeros({std::int64_t{1} << 30}, at::TensorOptions(device_of(place)).dtype(at::kInt)),
                     to = at::empty_like(from);
    return 8.0 * static_cast<double>(from.numel()) / best_of(6, [&] { at::Tensor(to).copy_(from), finish(place); });
}

double products(Place place) {  // operations a second
    const at::Tensor a = at::randn({8192, 8192}, at::TensorOptions(device_of(place)).dtype(at::kBFloat16)),
                     b = at::randn_like(a);
    return 2.0 * 8192 * 8192 * 8192 * 10 / best_of(4, [&] {
               for (int i = 0; i < 10; ++i) at::mm(a, b);
               finish(place);
           });
}

constexpr int prompt = 512;

double sampling(Sampler& sampler, const Parameters& weights, int answers, int length, bool one_prompt) {
    return best_of(3, [&] {
        int left = one_prompt ? 1 : answers;
        const auto take = [&](bool) -> std::unique_ptr<SampleRequest> {
            if (left <= 0) return nullptr;
            const std::uint32_t group = one_prompt ? static_cast<std::uint32_t>(answers) : 1;
            return std::make_unique<SampleRequest>(SampleRequest{
                0, static_cast<std::uint64_t>(--left), std::vector<std::int32_t>(prompt, 7 + left), group, {}, length});
        };
        sampler.run(weights, {take, [&] { return left <= 0; }, [](const SampledAnswer&) {}, {}});
    });
}

struct Sampled {
    std::vector<std::int32_t> ids;
    std::vector<float> logp;  // of the answer, the end of ids
};

std::vector<Sampled> sampled(const Model& model, const Parameters& weights, int prompts, std::uint32_t group) {
    std::vector<Sampled> all;
    int left = prompts;
    const auto take = [&](bool) -> std::unique_ptr<SampleRequest> {
        if (left <= 0) return nullptr;
        const int n = --left;
        std::vector<std::int32_t> ids(5 + 37 * static_cast<std::size_t>(n) % 150);
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>((i * 7919 + n) % 40000);
        return std::make_unique<SampleRequest>(SampleRequest{0, static_cast<std::uint64_t>(n), ids, group, {}, 40});
    };
    const auto give = [&](const SampledAnswer& answer) {
        Sampled own{answer.request.prompt, answer.logp};
        own.ids.insert(own.ids.end(), answer.ids.begin(), answer.ids.end());
        all.push_back(std::move(own));
    };
    Sampler(model, 1, prompts * static_cast<int>(group)).run(weights, {take, [&] { return left <= 0; }, give, {}});
    return all;
}

// Whether what is sampled is what is scored: bfloat16 is rounded otherwise where sums have another order. False: it is
// not.
bool check(const Model& model, const Parameters& weights, int prompts, std::uint32_t group) {
    const std::vector<Sampled> all = sampled(model, weights, prompts, group);
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> begin{0};
    for (const Sampled& own : all) {
        ids.insert(ids.end(), own.ids.begin(), own.ids.end());
        begin.push_back(static_cast<std::int64_t>(ids.size()));
    }
    hone_batch batch{};
    batch.ids = ids.data(), batch.begin = begin.data(), batch.n = static_cast<std::uint32_t>(all.size()),
    batch.temperature = 1;
    std::vector<float> scored(ids.size());
    Learner(model, 1).score(weights, batch, scored.data(), nullptr);
    double sum = 0, most = 0, n = 0;
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t t = 0; t < all[a].logp.size(); ++t, ++n) {
            const double off =
                std::abs(all[a].logp[t] - scored[static_cast<std::size_t>(begin[a + 1]) - all[a].logp.size() + t]);
            sum += off, most = std::max(most, off);
        }
    std::printf("%.0f tokens of %zu answers: log-probabilities sampled and scored differ by %.4f, at most %.3f\n", n,
                all.size(), sum / n, most);
    return sum / n < 0.1 && most < 1;
}

void decode(const Model& model, const Parameters& weights, int answers, double bytes_a_second) {
    const Config& c = model.config;
    Sampler sampler(model, 1, answers);
    constexpr int first = 2, last = 130;
    for (const bool one_prompt : {false, true}) {
        if (one_prompt && answers == 1) continue;
        const double step = (sampling(sampler, weights, answers, last, one_prompt) -
                             sampling(sampler, weights, answers, first, one_prompt)) /
                            (last - first);
        const double cached =
            4.0 * static_cast<double>(c.layers * c.kv_width()) * answers * (prompt + (last - first) / 2.0);
        const double read =
            2.0 * static_cast<double>(weights.size() - (c.tied ? 0 : static_cast<std::size_t>(c.vocabulary * c.width)));
        const double limit = (read + cached) / bytes_a_second;
        std::printf("%3d answers%s: %7.3f ms a step, %8.0f tokens a second, %3.0f %% of the limit %.3f ms\n", answers,
                    one_prompt ? " to one prompt" : "", 1e3 * step, answers / step, 100 * limit / step, 1e3 * limit);
        std::fflush(stdout);
    }
}

// Three times the prompts and 32 tokens: a kernel of each decode step is launched 96 times, or 96 times a layer.
void profile(const Model& model, const Parameters& weights, int answers) {
    Sampler sampler(model, 1, answers);
    sampling(sampler, weights, answers, 32, false);  // graphs are made
    std::printf("%d answers\n", answers);
    hone::bench::print_kernel_times([&] { sampling(sampler, weights, answers, 32, false); });
}

void learn(const Model& model, Parameters& weights, int sequences, int length, double rate) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(sequences) * length, 11);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i * 7919 % 40000);
    std::vector<std::int64_t> begin;
    for (int i = 0; i <= sequences; ++i) begin.push_back(static_cast<std::int64_t>(i) * length);
    const std::vector<float> weight(ids.size(), 1.0f / ids.size()), none(ids.size());
    hone_batch batch{};
    batch.ids = ids.data(), batch.begin = begin.data(), batch.n = static_cast<std::uint32_t>(sequences),
    batch.temperature = 1;
    hone_step step{};
    step.weight = weight.data(), step.entropy_weight = none.data(), step.lr = 1e-6, step.max_grad_norm = 1;
    Learner learner(model, 1);
    const Config& c = model.config;
    const auto once = [&] { learner.learn(Trained(weights), batch, step), finish(model.place); };
    once();
    const double seconds = best_of(3, once), tokens = static_cast<double>(ids.size());
    const double flops = tokens * (6.0 * static_cast<double>(weights.size()) +
                                   6.0 * static_cast<double>(c.layers * c.q_width()) * length);
    std::printf(
        "learning, %d x %d: %.1f ms a step, %.0f tokens a second, MFU %.1f %% of 989 TFLOP/s, %.1f %% of measured "
        "products\n",
        sequences, length, 1e3 * seconds, tokens / seconds, 100 * flops / seconds / 989e12,
        100 * flops / seconds / rate);
}

}  // namespace

int main(int argc, char** argv) {
    const Place gpu = place_of("cuda");
    Place place = gpu;
    place.bfloat16 = true, place.torch = true;
    const std::string shape = argc > 1 ? argv[1] : "135m";
    Model model{shapes.at(shape), place};
    const double bytes = bandwidth(place), rate = products(place);
    std::printf("%s on %s: a copy %.2f TB/s, products %.0f TFLOP/s\n", shape.c_str(), device_name(place).c_str(),
                bytes / 1e12, rate / 1e12);
    Parameters weights(model.config, place);
    weights.values.normal_(0, 0.02);
    weights.norm.fill_(1);
    for (LayerWeights& layer : weights.layers)
        for (at::Tensor* norm : {&layer.attention_norm, &layer.mlp_norm, &layer.q_norm, &layer.k_norm})
            if (norm->defined()) norm->fill_(1);
    bool right = true;
    for (const auto& [prompts, group] : {std::pair(1, 1u), {2, 1u}, {3, 4u}, {40, 1u}, {64, 1u}, {100, 1u}})
        right = check(model, weights, prompts, group) && right;
    const double before = free_memory(place);
    std::stringstream list(argc > 2 ? argv[2] : "1,16,64");
    const bool profiled = argc > 3 && !std::strcmp(argv[3], "profile");
    for (std::string answers; std::getline(list, answers, ',');)
        profiled ? profile(model, weights, std::stoi(answers)) : decode(model, weights, std::stoi(answers), bytes);
    std::printf("memory of sampling %.1f GB\n", (before - free_memory(place)) / 1e9);
    if (argc > 3 && !std::strcmp(argv[3], "learn")) {
        learn(model, weights, shape == "135m" ? 16 : 8, 2048, rate);
        std::printf("memory of all %.1f GB\n",
                    (before - free_memory(place)) / 1e9 + 2e-9 * static_cast<double>(weights.size()));
    }
    return right ? 0 : 1;
}
