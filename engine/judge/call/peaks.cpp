#include "judge/call/peaks.hpp"
#include <algorithm>
#include <cstdlib>
#include "judge/correctness/numbers.hpp"
#include "judge/correctness/truth.hpp"

namespace hone {

double DevicePeaks::bandwidth(double bytes) const {
    double most = 0;
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (i + 1 == levels.size() || levels[i + 1].bytes > bytes / cores)
            most = std::max(most, levels[i].bytes_per_second);
    return most;
}

double DevicePeaks::flops(const std::string& tolerance_class) const {
    const auto found = flops_of_class.find(tolerance_class);
    if (found != flops_of_class.end()) return found->second;
    const bool may_have_units_of_its_own = tolerance_class == "f16" || tolerance_class == "bf16";
    return may_have_units_of_its_own ? 0 : flops_per_second;
}

namespace {

// Whole numbers have instructions of their own, which are several times as fast as those for float32.
bool is_of_floats(const Task& task) {
    return task.inputs.empty() || std::any_of(task.inputs.begin(), task.inputs.end(), [](const TaskTensor& input) {
               return is_float(parse_dtype(input.dtype));
           });
}

}  // namespace

DevicePeaks find_peaks(const Json& facts) {
    constexpr std::string_view within = "bytes_per_second_within_";
    DevicePeaks peaks;
    for (const auto& [key, value] : facts.items())
        if (key.starts_with(within)) peaks.levels.push_back({std::strtod(key.c_str() + within.size(), nullptr), value});
    std::sort(peaks.levels.begin(), peaks.levels.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    if (const double rate = facts.value("bytes_per_second", 0.0); rate > 0 && peaks.levels.empty())
        peaks.levels = {{0, rate}};
    peaks.flops_per_second = facts.value("flops_per_second", 0.0);
    peaks.cores = facts.value("cores", 1);
    for (const char* name : {"tf32", "f16", "bf16"})
        if (const double rate = facts.value(std::string("flops_per_second_") + name, 0.0); rate > 0)
            peaks.flops_of_class[name] = rate;
    return peaks;
}

std::optional<Roofline> roofline(const Task& task, const DevicePeaks& peaks) {
    const double bytes = task.bytes.value_or(0), flops = task.flops.value_or(0), bandwidth = peaks.bandwidth(bytes);
    const double moving = bandwidth > 0 ? bytes / bandwidth : 0;
    const double rate = flops > 0 && is_of_floats(task) ? peaks.flops(tolerance_class(task)) : 0;
    const double computing = rate > 0 ? flops / rate : 0;
    if (moving <= 0 && computing <= 0) return std::nullopt;
    if (moving >= computing) return Roofline{moving, "bytes", bandwidth};
    return Roofline{computing, "flops", rate};
}

}  // namespace hone
