#include "torch_lm/gpu/kernels.hpp"
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <tuple>
#include <utility>
#include "cuda/compile/nvrtc.hpp"
#include "cuda/compile/toolchain.hpp"
#include "gpu_source.hpp"
#include "hone/plugin.hpp"

namespace hone::lm::gpu {
namespace {

std::string define(const char* name, std::int64_t value) {
    return std::string("-D") + name + "=" + std::to_string(value);
}

std::string arch_of(int gpu) {
    const cuda::Driver& driver = cuda::Driver::get();
    int major = 0, minor = 0;
    driver.check(driver.device_attribute(&major, cuda::attribute::major, gpu), "cuDeviceGetAttribute");
    driver.check(driver.device_attribute(&minor, cuda::attribute::minor, gpu), "cuDeviceGetAttribute");
    return "sm_" + std::to_string(major) + std::to_string(minor);
}

std::string found_nvrtc() {
    try {
        return cuda::Toolchain("").nvrtc();
    } catch (const Refused&) {
        throw Refused(
            "policy.torch-lm: a model on a GPU needs NVRTC (libnvrtc.so.13 or .12), and it was not found; "
            "pip install nvidia-cuda-nvrtc, or set CUDA_HOME");
    }
}

std::string compiled(const Config& config, Place place) {
    const cuda::Nvrtc::Result made =
        cuda::Nvrtc(found_nvrtc()).compile(source, options(config, place.bfloat16, arch_of(place.gpu)));
    if (made.error) throw Broken("policy.torch-lm: its own kernels do not compile:\n" + made.log);
    return made.cubin;
}

}  // namespace

const char* const source = gpu_source;

std::string misfit(const Config& c) {
    const std::tuple<const char*, std::int64_t, std::int64_t> sizes[] = {
        {"width", c.width, most_width}, {"mlp width", c.mlp_width, most_mlp_width}, {"head width", c.head_width, 256}};
    for (const auto& [name, size, most] : sizes)
        if (size % 8 || size > most)
            return std::string("the model's ") + name + " is " + std::to_string(size) + "; a multiple of 8 up to " +
                   std::to_string(most) + " is needed";
    return {};
}

std::int64_t heads_at_once(const Config& c) {
    const std::int64_t queries = c.heads / c.kv_heads;
    std::int64_t n = std::min<std::int64_t>(queries, 8);
    while (queries % n) --n;
    return n;
}

// Eight numbers a thread: a narrow model has no idle threads.
unsigned threads_of_norms(const Config& c) {
    return static_cast<unsigned>(std::min<std::int64_t>(256, (c.width / 8 + 31) / 32 * 32));
}

std::vector<std::string> options(const Config& c, bool bfloat16, const std::string& arch) {
    char epsilon[48];
    std::snprintf(epsilon, sizeof epsilon, "-DEPSILON=%.9ef", c.norm_epsilon);
    std::vector<std::string> given = {"--gpu-architecture=" + arch,
                                      "--std=c++17",
                                      "--device-as-default-execution-space",
                                      define("WIDTH", c.width),
                                      define("NORM_THREADS", threads_of_norms(c)),
                                      define("HEADS", c.heads),
                                      define("KV_HEADS", c.kv_heads),
                                      define("HEAD_WIDTH", c.head_width),
                                      define("MLP", c.mlp_width),
                                      define("VOCABULARY", c.vocabulary),
                                      define("LAYERS", c.layers),
                                      epsilon};
    if (bfloat16) given.push_back("-DNARROW");
    if (c.qk_norm) given.push_back("-DQK_NORM");
    if (c.qkv_bias) given.push_back("-DQKV_BIAS");
    return given;
}

Kernels::Kernels(const Config& config, Place place) : norm_threads(threads_of_norms(config)) {
    if (const std::string why = misfit(config); !why.empty())
        throw Refused("policy.torch-lm: sampling on a GPU: " + why + "; use device = \"cpu\"");
    const cuda::Driver& driver = cuda::Driver::get();
    cuda::Module module = nullptr;  // as long as the process
    driver.check(driver.load_module(&module, compiled(config, place).data()), "cuModuleLoadData");
    const std::pair<const char*, cuda::Function*> all[] = {{"embed", &embed},
                                                           {"add_norm", &add_norm},
                                                           {"place_heads", &place_heads},
                                                           {"attention", &attention},
                                                           {"gate", &gate},
                                                           {"measure", &measure},
                                                           {"draw", &draw},
                                                           {"part_heads", &part_heads},
                                                           {"join_heads", &join_heads},
                                                           {"gate_gradient", &gate_gradient},
                                                           {"norm_gradient", &norm_gradient},
                                                           {"score_rows", &score_rows},
                                                           {"score_gradient", &score_gradient},
                                                           {"few_rows_1", &few_rows[1]},
                                                           {"few_rows_2", &few_rows[2]},
                                                           {"few_rows_4", &few_rows[4]},
                                                           {"few_rows_gated_1", &few_rows_gated[1]},
                                                           {"few_rows_gated_2", &few_rows_gated[2]},
                                                           {"few_rows_gated_4", &few_rows_gated[4]}};
    for (const auto& [name, function] : all)
        driver.check(driver.function(function, module, name), "cuModuleGetFunction");
}

const Kernels& Kernels::of(const Config& config, Place place) {
    static std::mutex mutex;
    static std::map<std::pair<int, std::vector<std::string>>, Kernels> known;
    const std::lock_guard lock(mutex);
    const std::pair key(place.gpu, options(config, place.bfloat16, ""));
    if (const auto found = known.find(key); found != known.end()) return found->second;
    return known.emplace(key, Kernels(config, place)).first->second;
}

void Kernels::launch(cuda::Function kernel, const Grid& grid, cuda::Stream queue,
                     std::initializer_list<const void*> arguments) const {
    const cuda::Driver& driver = cuda::Driver::get();
    std::vector<void*> list;
    for (const void* argument : arguments) list.push_back(const_cast<void*>(argument));
    driver.check(driver.launch(kernel, static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y),
                               static_cast<unsigned>(grid.z), grid.threads, 1, 1, 0, queue, list.data(), nullptr),
                 "cuLaunchKernel");
}

}  // namespace hone::lm::gpu
