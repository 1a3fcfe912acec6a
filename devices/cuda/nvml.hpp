// NVIDIA's management library, opened at run time: what a GPU's speed depends on beside its programs. Without it
// nothing is told and all works.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include "cuda/driver.hpp"

namespace hone::cuda {

struct Condition {
    double celsius = 0, watts = 0, sm_megahertz = 0, memory_megahertz = 0;
    std::uint64_t slowed = 0;  // NVML's bits of what keeps the clocks down now
};

// "power limit, heat"; "" where nothing slows the device. That it idles, or that somebody set its clocks, slows nothing
// unforeseen.
std::string slowed_by(std::uint64_t bits);

class Nvml {
public:
    Nvml(const Driver&, Device);
    std::optional<Condition> condition()
        const;  // nullopt: the library, or the device in it, is missing, or does not tell
    // The driver's own word for an error of the device (https://docs.nvidia.com/deploy/xid-errors), the next since this
    // was first asked; waits so long for one. 0: none came, or none is told here. Whose error it was is not told
    // either: ask while one program alone has the device.
    unsigned xid(int milliseconds);

private:
    void watch_errors();
    void* library_ = nullptr;  // until errors are watched
    void* device_ = nullptr;
    void* errors_ = nullptr;  // an event set
    struct Event {
        void* device;
        unsigned long long type, data;
        unsigned gpu_instance, compute_instance;
    };
    int (*wait_)(void* set, Event*, unsigned milliseconds) = nullptr;
    int (*temperature_)(void*, int sensor, unsigned*) = nullptr;
    int (*power_)(void*, unsigned* milliwatts) = nullptr;
    int (*clock_)(void*, int kind, unsigned* megahertz) = nullptr;
    int (*slowed_)(void*, unsigned long long*) = nullptr;
};

}  // namespace hone::cuda
