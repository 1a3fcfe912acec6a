#include "torch_lm/gpu/kernels.hpp"
#include <algorithm>
#include <mutex>
#include <utility>
#include "cuda/compile/nvrtc.hpp"
#include "cuda/compile/toolchain.hpp"
#include "gpu_source.hpp"
#include "hone/plugin.hpp"

namespace hone::lm::gpu {
namespace {

int attribute_of(int gpu, int attribute) {
    const cuda::Driver& driver = cuda::Driver::get();
    int value = 0;
    driver.check(driver.device_attribute(&value, attribute, gpu), "cuDeviceGetAttribute");
    return value;
}

int driver_version() {
    const cuda::Driver& driver = cuda::Driver::get();
    int version = 0;
    driver.check(driver.driver_version(&version), "cuDriverGetVersion");
    return version;
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

Kernels::Kernels(const Config& config, Place place) : cut(cut_of(config, place.bfloat16, arch_of(place.gpu))) {
    if (const std::string why = misfit(config); !why.empty())
        throw Refused("policy.torch-lm: sampling on a GPU: " + why + "; use device = \"cpu\"");
    may_begin_early_ = attribute_of(place.gpu, cuda::attribute::major) >= 9 && driver_version() >= 12030;
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
                                                           {"attention_of_few_rows", &attention_of_few_rows},
                                                           {"attention_of_many_rows", &attention_of_many_rows},
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
    const std::pair key(place.gpu, options(config, place.bfloat16, arch_of(place.gpu)));
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
