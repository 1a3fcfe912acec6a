#include "torch_lm/learning/memory_plan.hpp"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include "cuda/driver.hpp"
#include "hone/plugin.hpp"

namespace hone::lm {
namespace {

double weights_of(const Config& c) {
    const double layer =
        static_cast<double>(c.qkv_width() + c.q_width() + 3 * c.mlp_width) * static_cast<double>(c.width);
    return layer * static_cast<double>(c.layers) + static_cast<double>(c.vocabulary * c.width) * (c.tied ? 1.0 : 2.0);
}

double adapter_of(const Config& c, std::int64_t rank) {
    const std::int64_t ins = 3 * c.width + c.q_width() + 2 * c.width + c.mlp_width,
                       outs = c.qkv_width() + c.width + 2 * c.mlp_width + c.width;
    return static_cast<double>(rank * (ins + outs) * c.layers);
}

std::string gigabytes(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
    return text;
}

double host_memory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    for (double kilobytes = 0; file >> word;)
        if (word == "MemAvailable:" && file >> kilobytes) return 1024 * kilobytes;
    return std::numeric_limits<double>::infinity();
}

}  // namespace

std::int64_t learnt_tokens(const Model& model) {
    constexpr std::int64_t least = 4096, again = 8192, most = 32768;
    if (model.place.gpu == on_host) return pass_tokens(model.place);
    const auto fit = static_cast<std::int64_t>(model.most_kept / kept_bytes(model.config, model.place));
    return fit < least ? again : std::min(fit, most);
}

LearningMemory learning_memory(const Model& model, std::int64_t rank, int workers) {
    const double weights = weights_of(model.config), learnt = rank ? adapter_of(model.config, rank) : weights;
    LearningMemory need{};
    need.gradient = 4 * learnt * workers, need.moments = 8 * learnt;
    need.master = model.place.bfloat16 && !rank ? 4 * learnt : 0;
    need.frozen = rank ? 0 : weights * (model.place.bfloat16 ? 2 : 4);  // under an adapter it is there
    const std::int64_t tokens = learnt_tokens(model);
    if (model.place.torch)
        need.kept = std::min(model.most_kept, kept_bytes(model.config, model.place) * static_cast<double>(tokens)) +
                    logits_bytes(model.config, model.place, tokens);
    return need;
}

double free_memory(Place place) {
    if (place.gpu == on_host) return host_memory();
    std::size_t free = 0, total = 0;
    const cuda::Driver& driver = cuda::Driver::get();
    driver.check(driver.memory_info(&free, &total), "cuMemGetInfo");
    return static_cast<double>(free);
}

void check_memory(const LearningMemory& need, double free, const Model& model, std::int64_t rank) {
    if (need.total() <= free) return;
    constexpr std::int64_t usual_rank = 16;
    std::string cure = "use a smaller model, or a machine with more memory";
    const double low = learning_memory(model, usual_rank, 1).total() +
                       weights_of(model.config) * (model.place.bfloat16 ? 2 : 4);  // and the fixed copy
    if (!rank && low <= free) cure = "lora = 16 needs " + gigabytes(low);
    else if (!model.place.bfloat16) cure = "try dtype = \"bfloat16\" with lora = 16";
    throw Refused("policy.torch-lm: learning needs " + gigabytes(need.total()) + " beside the weights (gradient " +
                  gigabytes(need.gradient) + ", moments " + gigabytes(need.moments + need.master) + ", frozen copy " +
                  gigabytes(need.frozen) + ", a pass " + gigabytes(need.kept) + "), and " + gigabytes(free) +
                  " are free; " + cure);
}

}  // namespace hone::lm
