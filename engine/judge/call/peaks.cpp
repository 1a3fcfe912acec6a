#include "judge/call/peaks.hpp"
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include "base/error.hpp"
#include "base/host.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "judge/call/peak_loops.hpp"
#include "judge/correctness/truth.hpp"

namespace hone {
namespace {

constexpr std::size_t footprints[] = {16u << 10, 128u << 10, 1u << 20, 8u << 20, 32u << 20};
constexpr std::size_t traffic = 8u << 20;  // of one run at least: tens of microseconds, more than a clock's grain
constexpr double run_seconds = 0.003;      // of runs of one kind
constexpr int least_runs = 3, enough_measurings = 4;
constexpr long rounds = 20000;

// All that are on, even if this process keeps to one of them: a candidate's team may have more.
int cores() { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

// work() done so much a second, at best.
template <class Work> double best_rate(double amount, Work&& work) {
    double least = HUGE_VAL;
    const double until = monotonic_seconds() + run_seconds;
    for (int run = 0; run < least_runs || monotonic_seconds() < until; ++run) {
        const double begun = monotonic_seconds();
        work();
        least = std::min(least, monotonic_seconds() - begun);
    }
    return amount / least;
}

// Reads and writes both count, as in a task's `bytes`.
double memory_rate(char* memory, std::size_t bytes, const PeakLoops& loops) {
    const std::size_t repeats = std::max<std::size_t>(1, traffic / bytes), half = bytes / 2;
    const auto amount = static_cast<double>(repeats * bytes);
    const double read = best_rate(amount, [&] {
        for (std::size_t i = 0; i < repeats; ++i) {
            const std::uint64_t any = loops.read(memory, bytes);
            asm volatile("" : : "r"(any) : "memory");
        }
    });
    const double copy = best_rate(amount, [&] {
        for (std::size_t i = 0; i < repeats; ++i) {
            std::memcpy(memory + half, memory, half);
            asm volatile("" : : "r"(memory) : "memory");
        }
    });
    return std::max(read, copy);
}

double arithmetic_rate(const PeakLoops& loops) {
    return best_rate(static_cast<double>(rounds * loops.flops_a_round), [&] {
        const float sum = loops.multiply_add(rounds, 0.5f);
        asm volatile("" : : "m"(sum));
    });
}

DevicePeaks measure() {
    const PeakLoops loops = peak_loops();
    constexpr std::size_t largest = *std::max_element(std::begin(footprints), std::end(footprints));
    const std::unique_ptr<char, void (*)(void*)> memory(static_cast<char*>(std::aligned_alloc(64, largest)), std::free);
    if (!memory) throw std::bad_alloc();
    std::memset(memory.get(), 1, largest);
    DevicePeaks peaks;
    peaks.cores = cores();
    peaks.flops_per_second = peaks.cores * arithmetic_rate(loops);
    for (const std::size_t bytes : footprints)
        peaks.levels.push_back({static_cast<double>(bytes), peaks.cores * memory_rate(memory.get(), bytes, loops)});
    return peaks;
}

DevicePeaks best_of(DevicePeaks a, const DevicePeaks& b) {
    a.flops_per_second = std::max(a.flops_per_second, b.flops_per_second);
    for (std::size_t i = 0; i < a.levels.size() && i < b.levels.size(); ++i)
        a.levels[i].bytes_per_second = std::max(a.levels[i].bytes_per_second, b.levels[i].bytes_per_second);
    return a;
}

// A virtual machine may wake up on another host only with another boot.
std::string machine() {
    std::string boot;
    try {
        boot = read_file("/proc/sys/kernel/random/boot_id");
    } catch (const Error&) {  // then the model alone
    }
    return cpu_model() + ", " + std::to_string(cores()) + " cores, boot " + boot.substr(0, boot.find('\n'));
}

}  // namespace

double DevicePeaks::bandwidth(double bytes) const {
    double most = 0;
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (i + 1 == levels.size() || levels[i + 1].bytes > bytes / cores)
            most = std::max(most, levels[i].bytes_per_second);
    return most;
}

double DevicePeaks::flops(const std::string& tolerance_class) const {
    const auto found = flops_of_class.find(tolerance_class);
    return found == flops_of_class.end() ? flops_per_second : found->second;
}

Json DevicePeaks::to_json() const {
    Json list = Json::array();
    for (const Level& level : levels) list.push_back({level.bytes, level.bytes_per_second});
    return {{"levels", list}, {"flops_per_second", flops_per_second}, {"cores", cores}};
}

DevicePeaks DevicePeaks::from_json(const Json& json) {
    DevicePeaks peaks;
    for (const Json& level : json.at("levels")) peaks.levels.push_back({level.at(0), level.at(1)});
    peaks.flops_per_second = json.at("flops_per_second");
    peaks.cores = json.at("cores");
    return peaks;
}

DevicePeaks measured_peaks() {
    const fs::path file = cache_folder() / "peaks.json";
    Json known;
    if (fs::exists(file)) known = Json::parse(read_file(file), nullptr, false);
    const std::string here = machine();
    if (!known.is_object() || known.value("machine", "") != here) known = {{"machine", here}, {"measurings", 0}};
    const int measurings = known.at("measurings");
    if (measurings >= enough_measurings) return DevicePeaks::from_json(known.at("peaks"));
    const DevicePeaks peaks =
        measurings == 0 ? measure() : best_of(measure(), DevicePeaks::from_json(known.at("peaks")));
    try {
        write_file(file,
                   Json{{"machine", here}, {"measurings", measurings + 1}, {"peaks", peaks.to_json()}}.dump(1) + "\n");
    } catch (const Error&) {  // it is measured again
    }
    return peaks;
}

DevicePeaks find_peaks(const Json& facts, const std::string& device_kind) {
    const double bytes = facts.value("bytes_per_second", 0.0), flops = facts.value("flops_per_second", 0.0);
    if (device_kind == "cpu" && bytes == 0 && flops == 0) return measured_peaks();
    DevicePeaks peaks;
    if (bytes > 0) peaks.levels = {{0, bytes}};
    peaks.flops_per_second = flops;
    for (const char* name : {"tf32", "f16", "bf16"})
        if (const double rate = facts.value(std::string("flops_per_second_") + name, 0.0); rate > 0)
            peaks.flops_of_class[name] = rate;
    return peaks;
}

std::optional<Roofline> roofline(const Task& task, const DevicePeaks& peaks) {
    const double bytes = task.bytes.value_or(0), flops = task.flops.value_or(0), bandwidth = peaks.bandwidth(bytes);
    const double moving = bandwidth > 0 ? bytes / bandwidth : 0;
    const double rate = flops > 0 ? peaks.flops(tolerance_class(task)) : 0;
    const double computing = rate > 0 ? flops / rate : 0;
    if (moving <= 0 && computing <= 0) return std::nullopt;
    if (moving >= computing) return Roofline{moving, "bytes", bandwidth};
    return Roofline{computing, "flops", rate};
}

}  // namespace hone
