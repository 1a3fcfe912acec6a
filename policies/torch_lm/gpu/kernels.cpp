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

int attribute_of(int gpu, int attribute) {
    const cuda::Driver& driver = cuda::Driver::get();
    int value = 0;
    driver.check(driver.device_attribute(&value, attribute, gpu), "cuDeviceGetAttribute");
    return value;
}

std::string arch_of(int gpu) {
    return "sm_" + std::to_string(attribute_of(gpu, cuda::attribute::major)) +
           std::to_string(attribute_of(gpu, cuda::attribute::minor));
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
    const auto together = [&](std::int64_t n) {
        while (queries % n) --n;
        return n;
    };
    const std::int64_t few = together(std::min<std::int64_t>(queries, 4));
    return few > 1 ? few : together(std::min<std::int64_t>(queries, 8));
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
    may_begin_early_ = attribute_of(place.gpu, cuda::attribute::major) >= 9;
    const cuda::Driver& driver = cuda::Driver::get();
    cuda::Module module = nullptr;  // as long as the process
    driver.check(driver.load_module(&module, compiled(config, place).data()), "cuModuleLoadData");
    find(module);
}

void Kernels::find(cuda::Module module) {
    const cuda::Driver& driver = cuda::Driver::get();
    const auto get = [&](const std::string& name) {
        cuda::Function function = nullptr;
        driver.check(driver.function(&function, module, name.c_str()), "cuModuleGetFunction");
        return function;
    };
    const std::pair<const char*, cuda::Function*> all[] = {{"embed", &embed},
                                                           {"add_norm", &add_norm},
                                                           {"attention", &attention},
                                                           {"gate", &gate},
                                                           {"measure", &measure},
                                                           {"draw", &draw},
                                                           {"part_heads", &part_heads},
                                                           {"join_heads", &join_heads},
                                                           {"gate_gradient", &gate_gradient},
                                                           {"norm_gradient", &norm_gradient},
                                                           {"score_rows", &score_rows},
                                                           {"score_gradient", &score_gradient}};
    for (const auto& [name, function] : all) *function = get(name);
    for (const std::int64_t rows : {1, 2}) {
        const std::string name = "product_" + std::to_string(rows);
        products[rows] = {get(name), get("gated_" + name), get("wide_" + name)};
    }
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
    cuda::LaunchAttribute attribute;
    attribute.id = cuda::dependent_launch, attribute.value.on = 1;
    cuda::LaunchConfig config;
    config.grid[0] = static_cast<unsigned>(grid.x), config.grid[1] = static_cast<unsigned>(grid.y),
    config.grid[2] = static_cast<unsigned>(grid.z), config.block[0] = grid.threads;
    config.stream = queue, config.attributes = &attribute, config.n_attributes = grid.early && may_begin_early_;
    driver.check(driver.launch_with(&config, kernel, list.data(), nullptr), "cuLaunchKernelEx");
}

}  // namespace hone::lm::gpu
