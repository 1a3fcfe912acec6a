#include "judge/calibration.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/process.hpp"
#include "judge/measure.hpp"
#include "judge/pairing.hpp"
#include "judge/verify.hpp"

namespace hone {
namespace {

constexpr int noise_pairs = 64, least_noise_pairs = 8;
constexpr double noise_share = 0.25;     // of the time for a candidate
constexpr double least_empty_calls = 2;  // that a reference must last
constexpr std::size_t form_pairs = 16;
constexpr int tries = 4;                 // on a busy machine one may find no undisturbed call without work

}  // namespace

Ending too_busy() {
    return {Verdict::INFRASTRUCTURE, "this machine is too busy to time anything: nearly every call was disturbed; try again when less is "
            "running on it", Json::object()};
}

void choose_baseline(Rig& rig, Problem& problem, Random& random) {
    if (!problem.has_graph()) return;
    Pairing pairing(rig, problem, random);
    std::optional<Ending> none;
    std::vector<double> log_ratios;  // of eager to graph
    for (std::size_t n = 0; n < form_pairs; ++n) {
        const InputSet& set = problem.set(0, Variant::declared, n % 8);
        const std::uint64_t offset = random_offset(random);
        std::optional<double> seconds[2];
        for (const bool graph : {false, true}) {
            problem.use_graph(graph);
            seconds[graph] = pairing.time({nullptr, false}, set, offset, none);
        }
        if (seconds[0] && seconds[1]) log_ratios.push_back(std::log(*seconds[0] / *seconds[1]));
    }
    problem.use_graph(!log_ratios.empty() && trimmed_mean(log_ratios, trimmed_share) > 0);
}

std::optional<double> measure_noise(Rig& rig, Problem& problem, Random& random, std::optional<Ending>& ending) {
    Pairing pairing(rig, problem, random);
    Sequential sequential({rig.settings.precision / 2, rig.settings.level, noise_pairs, rig.shares_its_cores()}, problem.quick_reading);
    std::optional<Ending> none;
    int pairs = 0;
    const double until = monotonic_seconds() + noise_share * rig.settings.seconds;
    for (int n = 0; n < noise_pairs && !sequential.done() && (pairs < least_noise_pairs || monotonic_seconds() < until); ++n) {
        const InputSet& set = problem.set(0, Variant::declared, static_cast<std::size_t>(n % 8));
        const std::uint64_t offset = random_offset(random);
        const auto a = pairing.time({nullptr, false}, set, offset, none), b = pairing.time({nullptr, false}, set, offset, none);
        if (!a || !b) continue;
        sequential.add({*a, *b});
        ++pairs;
    }
    problem.quick_reading = sequential.quick_baseline();
    const Interval interval = sequential.interval();
    if (!std::isfinite(interval.upper)) {
        ending = too_busy();
        return std::nullopt;
    }
    return std::fabs(interval.estimate) + (interval.upper - interval.lower) / 2;
}

std::optional<double> check_long_enough(Rig& rig, Problem& problem, Random& random) {
    std::optional<double> empty = rig.real_clock ? Pairing(rig, problem, random).empty_call() : std::nullopt;
    for (int i = 1; i < tries && empty && problem.quick_reading < least_empty_calls * *empty; ++i)
        empty = std::min(*empty, *Pairing(rig, problem, random).empty_call());
    if (!empty || problem.quick_reading >= least_empty_calls * *empty) return empty;
    char cause[160];
    std::snprintf(cause, sizeof cause, "is too short to be timed: its reference takes %.3g us, of which a call without work takes %.3g us",
                  1e6 * problem.quick_reading, 1e6 * *empty);
    throw Error(Blame::input, "task \"" + problem.task().name() + "\"", cause, "make its timed shape larger");
}

}  // namespace hone
