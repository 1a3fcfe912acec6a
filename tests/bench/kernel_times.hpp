// What a GPU ran while a function worked, kernel by kernel, by torch's profiler.
#pragma once
#include <torch/csrc/autograd/profiler_kineto.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hone::bench {

// One line a kernel, the dearest first: launches, microseconds of one launch, share of the time from first to last
// (kernels may overlap: shares may add up to more).
template <class F> void print_kernel_times(F&& work, std::size_t most_lines = 24) {
    namespace profiler = torch::profiler::impl;
    const profiler::ProfilerConfig config(profiler::ProfilerState::KINETO);
    const std::set<profiler::ActivityType> activities = {profiler::ActivityType::CUDA};
    torch::autograd::profiler::prepareProfiler(config, activities);
    torch::autograd::profiler::enableProfiler(config, activities);
    work();
    const auto result = torch::autograd::profiler::disableProfiler();
    struct Sum {
        int launches = 0;
        double us = 0;
    };
    std::map<std::string, Sum> kernels;
    std::uint64_t first = UINT64_MAX, last = 0;
    double busy = 0;
    for (const auto& event : result->events()) {
        if (event.deviceType() != c10::DeviceType::CUDA) continue;
        const double us = 1e-3 * static_cast<double>(event.durationNs());
        Sum& sum = kernels[event.name()];
        ++sum.launches, sum.us += us, busy += us;
        first = std::min(first, event.startNs()), last = std::max(last, event.endNs());
    }
    std::vector<std::pair<std::string, Sum>> sorted(kernels.begin(), kernels.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.us > b.second.us; });
    sorted.resize(std::min(sorted.size(), most_lines));
    const double all = kernels.empty() ? 0 : 1e-3 * static_cast<double>(last - first);
    std::printf("kernels took %.0f of %.0f us\n", busy, all);
    for (const auto& [name, sum] : sorted)
        std::printf("%6d x %8.2f us %5.1f %%  %.100s\n", sum.launches, sum.us / sum.launches, 100 * sum.us / all,
                    name.c_str());
}

}  // namespace hone::bench
