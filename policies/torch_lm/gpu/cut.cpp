#include "torch_lm/gpu/cut.hpp"
#include <algorithm>
#include <cstdio>
#include <tuple>

namespace hone::lm::gpu {
namespace {

std::string define(const char* name, std::int64_t value) {
    return std::string("-D") + name + "=" + std::to_string(value);
}

// The largest part, up to `most`, into which the heads of a key head are divided; where that is one, all of them, up
// to 8.
std::int64_t part_of_heads(const Config& c, std::int64_t most) {
    const std::int64_t queries = c.heads / c.kv_heads;
    std::int64_t n = std::min(queries, most);
    while (queries % n) --n;
    return n > 1 || queries > 8 ? n : queries;
}

// Few rows make few blocks of threads, so each takes fewer heads. Without tensor cores more than 4 take so many
// registers that some go to memory; with them a tile has 16 rows, and the more heads it takes, the less often keys are
// read.
constexpr std::int64_t heads_of_few_rows = 4, heads_of_tile = 16;
constexpr std::int64_t numbers_of_heads = 2048;  // of the heads of a block: its four warps' sums fit into 48 KiB

// Eight numbers a thread: a narrow model has no idle threads.
unsigned threads_of_norms(const Config& c) {
    return static_cast<unsigned>(std::min<std::int64_t>(256, (c.width / 8 + 31) / 32 * 32));
}

// Of bfloat16, from compute capability 8 on. arch: sm_90
bool has_tensor_cores(const Config& c, bool bfloat16, const std::string& arch) {
    return bfloat16 && c.head_width % 64 == 0 && std::stoi(arch.substr(3)) >= 80;
}

}  // namespace

std::string misfit(const Config& c) {
    const std::tuple<const char*, std::int64_t, std::int64_t> sizes[] = {
        {"width", c.width, most_width}, {"mlp width", c.mlp_width, most_mlp_width}, {"head width", c.head_width, 256}};
    for (const auto& [name, size, most] : sizes)
        if (size % 8 || size > most)
            return std::string("the model's ") + name + " is " + std::to_string(size) + "; a multiple of 8 up to " +
                   std::to_string(most) + " is needed";
    return {};
}

Cut cut_of(const Config& c, bool bfloat16, const std::string& arch) {
    const bool tensor_cores = has_tensor_cores(c, bfloat16, arch);
    return {
        threads_of_norms(c), part_of_heads(c, heads_of_few_rows),
        part_of_heads(c, tensor_cores ? std::min(heads_of_tile, numbers_of_heads / c.head_width) : heads_of_few_rows),
        tensor_cores};
}

std::vector<std::string> options(const Config& c, bool bfloat16, const std::string& arch) {
    const Cut cut = cut_of(c, bfloat16, arch);
    char epsilon[48];
    std::snprintf(epsilon, sizeof epsilon, "-DEPSILON=%.9ef", c.norm_epsilon);
    std::vector<std::string> given = {"--gpu-architecture=" + arch,
                                      "--std=c++17",
                                      "--device-as-default-execution-space",
                                      define("WIDTH", c.width),
                                      define("NORM_THREADS", cut.norm_threads),
                                      define("HEADS", c.heads),
                                      define("KV_HEADS", c.kv_heads),
                                      define("HEAD_WIDTH", c.head_width),
                                      define("HEADS_OF_FEW_ROWS", cut.heads_of_few_rows),
                                      define("HEADS_OF_MANY_ROWS", cut.heads_of_many_rows),
                                      define("MLP", c.mlp_width),
                                      define("VOCABULARY", c.vocabulary),
                                      define("LAYERS", c.layers),
                                      epsilon};
    if (bfloat16) given.push_back("-DNARROW");
    if (cut.tensor_cores) given.push_back("-DTENSOR_CORES");
    if (c.qk_norm) given.push_back("-DQK_NORM");
    if (c.qkv_bias) given.push_back("-DQKV_BIAS");
    return given;
}

}  // namespace hone::lm::gpu
