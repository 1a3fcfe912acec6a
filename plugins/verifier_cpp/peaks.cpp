#include "peaks.hpp"
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <limits>
#include <memory>
#include <sstream>
#include "cache.hpp"
#include "peak_loops.hpp"

namespace hone::cpp {
namespace {

constexpr std::size_t footprints[] = {16u << 10, 128u << 10, 1u << 20, 8u << 20, 32u << 20};
constexpr std::size_t traffic = 8u << 20;  // of one run at least: tens of microseconds, more than a clock's grain
constexpr double run_seconds = 0.003;      // of runs of one kind
constexpr int least_runs = 3, enough_measurings = 4;
constexpr long rounds = 20000;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// All that are on, even if this process keeps to one of them: a candidate's team may have more.
int cores() { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

// work() done so much a second, at best.
template <class Work> double best_rate(double amount, Work&& work) {
    double least = HUGE_VAL;
    const double until = now() + run_seconds;
    for (int run = 0; run < least_runs || now() < until; ++run) {
        const double begun = now();
        work();
        least = std::min(least, now() - begun);
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

Peaks measure() {
    const PeakLoops loops = peak_loops();
    constexpr std::size_t largest = *std::max_element(std::begin(footprints), std::end(footprints));
    const std::unique_ptr<char, void (*)(void*)> memory(static_cast<char*>(std::aligned_alloc(64, largest)), std::free);
    if (!memory) throw std::bad_alloc();
    std::memset(memory.get(), 1, largest);
    Peaks peaks;
    peaks.measurings = 1;
    peaks.cores = cores();
    peaks.flops_per_second = peaks.cores * arithmetic_rate(loops);
    for (const std::size_t bytes : footprints)
        peaks.levels.push_back({static_cast<double>(bytes), peaks.cores * memory_rate(memory.get(), bytes, loops)});
    return peaks;
}

Peaks best_of(Peaks a, const Peaks& b) {
    a.measurings += b.measurings;
    a.flops_per_second = std::max(a.flops_per_second, b.flops_per_second);
    for (std::size_t i = 0; i < a.levels.size(); ++i)
        a.levels[i].bytes_per_second = std::max(a.levels[i].bytes_per_second, b.levels[i].bytes_per_second);
    return a;
}

constexpr const char* file = "peaks";

// A virtual machine may wake up on another host only with another boot. The last number is another where peaks are
// measured otherwise.
std::string machine() {
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    return processor() + ", " + std::to_string(cores()) + " cores, boot " + boot + ", 2\n";
}

std::string written(const Peaks& peaks) {
    std::ostringstream text;
    text << std::setprecision(std::numeric_limits<double>::max_digits10) << peaks.measurings << ' ' << peaks.cores
         << ' ' << peaks.flops_per_second << '\n';
    for (const Peaks::Level& level : peaks.levels) text << level.bytes << ' ' << level.bytes_per_second << '\n';
    return text.str();
}

}  // namespace

std::optional<Peaks> known_peaks() {
    std::istringstream text(recall(file, machine()));
    Peaks peaks;
    text >> peaks.measurings >> peaks.cores >> peaks.flops_per_second;
    for (Peaks::Level level; text >> level.bytes >> level.bytes_per_second;) peaks.levels.push_back(level);
    if (peaks.levels.size() != std::size(footprints)) return std::nullopt;
    return peaks;
}

Peaks measured_peaks() {
    const std::optional<Peaks> known = known_peaks();
    if (known && known->measurings >= enough_measurings) return *known;
    const Peaks peaks = known ? best_of(measure(), *known) : measure();
    remember(file, machine(), written(peaks));
    return peaks;
}

void Peaks::tell(Out out) const {
    out.num("cores", cores);
    out.num("flops_per_second", flops_per_second);
    for (const Level& level : levels)
        out.num("bytes_per_second_within_" + std::to_string(static_cast<long>(level.bytes)), level.bytes_per_second);
}

}  // namespace hone::cpp
