#include "judge/calibration.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include "base/process.hpp"
#include "judge/measure.hpp"
#include "judge/pairing.hpp"
#include "judge/verify.hpp"

namespace hone {
namespace {

constexpr int noise_pairs = 64, least_noise_pairs = 8;
constexpr double noise_share = 0.25;     // of the time for a candidate
constexpr double least_times = 2;        // the hand-over, and what two clocks may differ by, that a reference must last
constexpr std::size_t form_pairs = 16;
constexpr int tries = 4;                 // on a busy machine one may find no undisturbed call without work

// Of the forms that answer rightly, with an empty list of readings. A form compiled elsewhere is somebody's word until then.
std::map<std::string, std::vector<double>> right_forms(Rig& rig, Problem& problem, Random& random) {
    std::map<std::string, std::vector<double>> right = {{"eager", {}}};
    Layout& layout = problem.layout(0);
    const InputSet& set = problem.set(0, Variant::declared, 0);
    for (const auto& [form, program] : problem.other_forms()) {
        problem.choose_form(form);
        rig.stage.prepare(layout, set, random_offset(random), random.bits());
        problem.baseline().launch(layout.call());
        problem.baseline().wait();
        if (rig.stage.inspect(layout, set, "in its reference's form " + form)) problem.forms[form] = nullptr;
        else right[form];
    }
    return right;
}

// What the reference's own call says that its two clocks may differ by; 0: there is one clock.
double clock_slack(Rig& rig, Problem& problem, Random& random) {
    Pairing pairing(rig, problem, random);
    std::optional<Ending> none;
    pairing.time({nullptr, false}, problem.set(0, Variant::declared, 0), random_offset(random), none);
    return pairing.witness().slack;
}

Error too_short(const Problem& problem, const char* beside, double seconds) {
    char cause[160];
    std::snprintf(cause, sizeof cause, "is too short to be timed: its reference takes %.3g us, %s %.3g us", 1e6 * problem.quick_reading, beside,
                  1e6 * seconds);
    return {Blame::input, "task \"" + problem.task().name() + "\"", cause, "make its timed shape larger"};
}

}  // namespace

Ending too_busy() {
    return {Verdict::INFRASTRUCTURE, "this machine is too busy to time anything: nearly every call was disturbed; try again when less is "
            "running on it", Json::object()};
}

void choose_baseline(Rig& rig, Problem& problem, Random& random) {
    if (problem.other_forms().empty()) return;
    std::map<std::string, std::vector<double>> readings = right_forms(rig, problem, random);
    Pairing pairing(rig, problem, random);
    std::optional<Ending> none;
    for (std::size_t n = 0; n < form_pairs; ++n) {
        const InputSet& set = problem.set(0, Variant::declared, n % 8);
        const std::uint64_t offset = random_offset(random);
        for (auto& [form, list] : readings) {
            problem.choose_form(form);
            if (const auto value = pairing.time({nullptr, false}, set, offset, none)) list.push_back(*value);
        }
    }
    problem.choose_form("eager");
    double least = no_reading;
    for (auto& [form, list] : readings) {
        if (list.empty()) continue;
        const double usual = trimmed_mean(list, trimmed_share);
        problem.forms[form] = usual;
        if (usual < least) least = usual, problem.choose_form(form);
    }
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
    for (int i = 1; i < tries && empty && problem.quick_reading < least_times * *empty; ++i)
        empty = std::min(*empty, *Pairing(rig, problem, random).empty_call());
    if (empty && problem.quick_reading < least_times * *empty) throw too_short(problem, "of which a call without work takes", *empty);
    const double slack = clock_slack(rig, problem, random);
    if (problem.quick_reading < least_times * slack) throw too_short(problem, "and the two clocks of a call may differ by", slack);
    return empty;
}

}  // namespace hone
