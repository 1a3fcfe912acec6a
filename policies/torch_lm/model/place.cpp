#include "torch_lm/model/place.hpp"
#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <algorithm>
#include "cuda/driver.hpp"
#include "hone/plugin.hpp"

namespace hone::lm {
namespace {

Refused refusal(const std::string& device, const std::string& cause, const std::string& cure = "use device = \"cpu\"") {
    return Refused("policy.torch-lm: device \"" + device + "\": " + cause + "; " + cure);
}

int gpu_number(const std::string& device) {
    if (device == "cuda") return 0;
    const std::string number = device.starts_with("cuda:") ? device.substr(5) : "";
    if (number.empty() || number.size() > 3 ||
        !std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
        throw refusal(device, "is no device", "say \"cpu\", \"cuda\" or \"cuda:N\"");
    return std::stoi(number);
}

void check_driver(const std::string& device, int gpu) {
    try {
        cuda::Device found = 0;
        const cuda::Driver& driver = cuda::Driver::get();
        driver.check(driver.device(&found, gpu), "cuDeviceGet");
    } catch (const cuda::Error& e) {
        throw refusal(device, e.what());
    }
}

// LibTorch remembers for good whether CUDA was there when it was first asked.
void open_torch_cuda(const std::string& device) {
    if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL))
        throw refusal(device, std::string("libtorch_cuda.so cannot be loaded: ") + dlerror());
    if (!at::hasCUDA())
        throw refusal(device, "LibTorch was in use before its part for CUDA was loaded",
                      "open this policy before any on the CPU");
}

}  // namespace

Place place_of(const std::string& device) {
    if (device == "cpu") return {};
    const int gpu = gpu_number(device);
    check_driver(device, gpu);
    open_torch_cuda(device);
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    return {.gpu = gpu};
}

std::string device_name(Place place) {
    if (place.gpu == on_host) return "cpu";
    char name[256] = "";
    const cuda::Driver& driver = cuda::Driver::get();
    driver.check(driver.device_name(name, sizeof name, place.gpu), "cuDeviceGetName");
    return "cuda:" + std::to_string(place.gpu) + " " + name;
}

double memory_of(Place place) {
    std::size_t bytes = 0;
    const cuda::Driver& driver = cuda::Driver::get();
    driver.check(driver.device_memory(&bytes, place.gpu), "cuDeviceTotalMem");
    return static_cast<double>(bytes);
}

void finish(Place place) {
    if (place.gpu != on_host) at::detail::getCUDAHooks().deviceSynchronize(static_cast<c10::DeviceIndex>(place.gpu));
}

}  // namespace hone::lm
