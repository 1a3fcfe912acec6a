#include "nvml.hpp"
#include <dlfcn.h>
#include <utility>

namespace hone::cuda {
namespace {

constexpr unsigned long long critical_error = 8;  // nvmlEventTypeXidCriticalError
constexpr int core_sensor = 0, sm_clock = 1, memory_clock = 2;
constexpr std::pair<std::uint64_t, const char*> slowing[] = {
    {0x4, "power limit"}, {0x8, "hardware"}, {0x20, "heat"}, {0x40, "heat (hardware)"}, {0x80, "power brake"},
};

template <class Function> bool load(void* library, const char* symbol, Function& into) {
    into = reinterpret_cast<Function>(dlsym(library, symbol));
    return into;
}

}  // namespace

std::string slowed_by(std::uint64_t bits) {
    std::string words;
    for (const auto& [bit, word] : slowing)
        if (bits & bit) words += (words.empty() ? "" : ", ") + std::string(word);
    return words;
}

Nvml::Nvml(const Driver& driver, Device device) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)() = nullptr;
    int (*find)(const char*, void**) = nullptr;
    if (!library || !load(library, "nvmlInit_v2", init) || !load(library, "nvmlDeviceGetHandleByPciBusId_v2", find) ||
        !load(library, "nvmlDeviceGetTemperature", temperature_) || !load(library, "nvmlDeviceGetPowerUsage", power_) ||
        !load(library, "nvmlDeviceGetClockInfo", clock_) ||
        !load(library, "nvmlDeviceGetCurrentClocksThrottleReasons", slowed_))
        return;
    char place[32] = "";
    void* found = nullptr;
    if (init() == 0 && driver.device_place(place, sizeof place, device) == 0 && find(place, &found) == 0)
        device_ = found;
    library_ = library;
}

void Nvml::watch_errors() {
    void* const library = std::exchange(library_, nullptr);
    int (*make)(void**) = nullptr;
    int (*add)(void*, unsigned long long, void*) = nullptr;
    if (!device_ || !load(library, "nvmlEventSetCreate", make) || !load(library, "nvmlDeviceRegisterEvents", add) ||
        !load(library, "nvmlEventSetWait_v2", wait_))
        return;
    void* set = nullptr;
    if (make(&set) == 0 && add(device_, critical_error, set) == 0) errors_ = set;
}

unsigned Nvml::xid(int milliseconds) {
    if (library_) watch_errors();
    Event event{};
    const bool told =
        errors_ && wait_(errors_, &event, static_cast<unsigned>(milliseconds)) == 0 && event.type == critical_error;
    return told ? static_cast<unsigned>(event.data) : 0;
}

std::optional<Condition> Nvml::condition() const {
    if (!device_) return std::nullopt;
    unsigned celsius = 0, milliwatts = 0, sm = 0, memory = 0;
    unsigned long long slowed = 0;
    if (temperature_(device_, core_sensor, &celsius) != 0 || power_(device_, &milliwatts) != 0 ||
        clock_(device_, sm_clock, &sm) != 0 || clock_(device_, memory_clock, &memory) != 0 ||
        slowed_(device_, &slowed) != 0)
        return std::nullopt;
    return Condition{1.0 * celsius, 1e-3 * milliwatts, 1.0 * sm, 1.0 * memory, slowed};
}

}  // namespace hone::cuda
