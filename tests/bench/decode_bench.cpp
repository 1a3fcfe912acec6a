// Tokens a second of a local model on this machine's cores, and the share of the limit that reading its weights sets.
//     decode_bench MODEL [float32|bfloat16] [threads]
// MODEL: a folder or a .gguf file. tests/bench/decode_peers.py runs llama.cpp beside it.
#include <ATen/ops/randn.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include "torch_lm/format/checkpoint.hpp"
#include "torch_lm/model/parallel.hpp"
#include "torch_lm/sampling/sampler.hpp"

namespace {

using namespace hone::lm;

double seconds_of(const std::function<void()>& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best_of(int repeats, const std::function<void()>& body) {
    double best = 1e30;
    for (int i = 0; i < repeats; ++i) best = std::min(best, seconds_of(body));
    return best;
}

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
            return std::make_unique<SampleRequest>(SampleRequest{0, 1, std::vector<std::int32_t>(32, 7),
                                                                 static_cast<std::uint32_t>(answers), 1, 1, length});
        };
        sampler.run(of.weights, {take, [&] { return left <= 0; }, [](const SampledAnswer&) {}, {}});
    });
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
    for (const int answers : {1, 4, 16}) {
        constexpr int first = 2, last = 66;
        const double step =
            (sampling(checkpoint, model, answers, last) - sampling(checkpoint, model, answers, first)) / (last - first);
        std::printf("%2d answers at once: %6.1f ms a step, %6.1f tokens a second, %3.0f %% of the bandwidth\n", answers,
                    1e3 * step, answers / step, 100 * bytes / limit / step);
    }
}
