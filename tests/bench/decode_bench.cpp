// Tokens a second of a local model on this machine's cores, and the share of the limit that reading its weights sets.
//     decode_bench MODEL [float32|bfloat16] [threads]
// MODEL: a folder or a .gguf file. tests/bench/decode_peers.py runs llama.cpp beside it.
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include "timing.hpp"
#include "torch_lm/format/checkpoint.hpp"
#include "torch_lm/model/parallel.hpp"
#include "torch_lm/sampling/sampler.hpp"
#include "torch_lm/transformer/project.hpp"

namespace {

using namespace hone::lm;
using hone::bench::best_of;

// bytes a second of a sum over 512 MiB by all threads
double read_bandwidth() {
    const at::Tensor values = at::randn({std::int64_t{1} << 27});
    float sum = 0;
    const double seconds = best_of(5, [&] { sum += values.sum().item<float>(); });
    return static_cast<double>(values.numel()) * 4 / seconds;
}

// seconds of answers of `length` tokens to prompts of 32
double sampling(const Checkpoint& of, const Model& model, int answers, int length) {
    Sampler sampler(model, 1, answers);
    int left = 1;
    return best_of(3, [&] {
        left = 1;
        const auto take = [&](bool) -> std::unique_ptr<SampleRequest> {
            if (left-- <= 0) return nullptr;
            return std::make_unique<SampleRequest>(
                SampleRequest{0, 1, std::vector<std::int32_t>(32, 7), static_cast<std::uint32_t>(answers), {}, length});
        };
        sampler.run(of.weights, {take, [&] { return left <= 0; }, [](const SampledAnswer&) {}, {}});
    });
}

// x W^T of few rows and a matrix that no cache holds, by the kernels of host/ and by LibTorch.
void print_products() {
    constexpr std::int64_t out = 3072, in = 576, matrices = 30;
    const c10::InferenceMode no_gradients;
    std::vector<at::Tensor> weights;
    for (std::int64_t i = 0; i < matrices; ++i) weights.push_back(at::randn({out, in}));
    for (const std::int64_t rows : {1, 2, 4, 8, 16, 32}) {
        const at::Tensor x = at::randn({rows, in});
        const auto all = [&](auto product) {
            return best_of(8, [&] {
                for (const at::Tensor& w : weights) product(w);
            });
        };
        const double kernels = all([&](const at::Tensor&w) { project(x, w); }),
                     torch = all([&](const at::Tensor&w) { at::linear(x, w); });
        std::printf("products of %2d rows, 3072 x 576: %5.2f ms; by LibTorch %5.2f ms: %.2fx\n", static_cast<int>(rows),
                    1e3 * kernels / matrices, 1e3 * torch / matrices, torch / kernels);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const bool narrow = argc > 2 && std::string(argv[2]) == "bfloat16";
    const int threads = use_threads(argc > 3 ? std::atoi(argv[3]) : 0);
    Checkpoint checkpoint = load_model(argc > 1 ? argv[1] : "", narrow);
    Model model{checkpoint.config, {.torch = true, .bfloat16 = narrow}};
    model.config.eos.clear();
    const double bytes = static_cast<double>(checkpoint.weights.size()) * (narrow ? 2 : 4), limit = read_bandwidth();
    std::printf("%.0f M weights as %s, %d threads, read bandwidth %.1f GB/s\n",
                static_cast<double>(checkpoint.weights.size()) / 1e6, narrow ? "bfloat16" : "float32", threads,
                limit / 1e9);
    print_products();
    for (const int answers : {1, 4, 16}) {
        constexpr int first = 2, last = 66;
        const double step =
            (sampling(checkpoint, model, answers, last) - sampling(checkpoint, model, answers, first)) / (last - first);
        std::printf("%2d answers at once: %6.1f ms a step, %6.1f tokens a second, %3.0f %% of the bandwidth\n", answers,
                    1e3 * step, answers / step, 100 * bytes / limit / step);
    }
}
