// Whether a timer's readings follow the work, and nothing else: runs of 1, 4 and 16 units of it in random order.
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include "base/chance.hpp"
#include "base/process.hpp"
#include "base/quantity.hpp"
#include "base/stats.hpp"
#include "contract.hpp"

namespace hone::contract {
namespace {

constexpr int sizes[] = {1, 4, 16};
constexpr double usual_unit = 1e-4, longest_unit = 0.1, enough = 2;  // seconds: of a unit, of all runs
constexpr double least_steps = 20;                                   // of the resolution that a unit takes
constexpr double most_carried = 0.1;                                 // of the growth that a run may leave to the next

double core_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void work(double steps) {
    std::uint32_t x = 1;
    for (auto n = static_cast<std::uint64_t>(steps); n; --n) {
        x = x * 1664525u + 1013904223u;
        asm volatile("" : "+r"(x));  // each of them is done
    }
}

double steps_of(double seconds) {
    constexpr double some = 1e6;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 8; ++i) {
        const double begun = core_seconds();
        work(some);
        least = std::min(least, core_seconds() - begun);
    }
    return some * seconds / least;
}

struct Run {
    double steps, core = 0, wall = 0;  // seconds that they took
};

hone_run run_of(Run& ctx) {
    hone_run run{};
    run.size = sizeof run;
    run.ctx = &ctx;
    run.calls = 1;
    run.limit = 10;
    run.pid = getpid();
    run.launch = [](void* at, std::uint32_t) -> hone_rc {
        Run& self = *static_cast<Run*>(at);
        const double core = core_seconds(), wall = monotonic_seconds();
        work(self.steps);
        self.core = core_seconds() - core, self.wall = monotonic_seconds() - wall;
        return HONE_OK;
    };
    run.wait = [](void*, double* inside) -> hone_rc { return *inside = std::nan(""), HONE_OK; };
    return run;
}

struct Reading {
    int units, before;  // of the run before it
    double value, core, wall;
};

using Readings = std::vector<Reading>;

double middle(const Readings& readings, int units, double Reading::*what) {
    std::vector<double> values;
    for (const Reading& r : readings)
        if (r.units == units) values.push_back(r.*what);
    return values.empty() ? 0 : quantile(values, 0.5);
}

// How much more is read, on the median, after a run of 16 units than after one of 1.
double carried(const Readings& readings) {
    std::vector<double> after[2];
    for (const Reading& r : readings)
        if (r.before != sizes[1])
            after[r.before == sizes[2]].push_back(r.value - middle(readings, r.units, &Reading::value));
    return after[0].empty() || after[1].empty() ? 0 : quantile(after[1], 0.5) - quantile(after[0], 0.5);
}

struct Calls {
    std::size_t taken = 0, failed = 0;
};

Readings read_all(Contract& contract, const hone_timer& f, double unit, Calls& calls) {
    std::vector<int> order;
    const double rounds = std::clamp(enough / (unit * (sizes[0] + sizes[1] + sizes[2])), 6.0, 32.0);
    for (int round = 0; round < static_cast<int>(rounds); ++round) order.insert(order.end(), sizes, std::end(sizes));
    Chance random(1, "growth", "");
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    const double steps = steps_of(unit);
    Readings readings;
    for (std::size_t i = 0; i < order.size(); ++i) {
        Run ctx{steps * order[i]};
        const hone_run run = run_of(ctx);
        hone_sample sample{};
        const hone_rc rc = contract.call("time", [&] { return f.time(contract.self(), &run, &sample); });
        calls.failed += rc != HONE_OK;
        if (rc == HONE_OK && !sample.discard)
            readings.push_back({order[i], i ? order[i - 1] : sizes[1], sample.value, ctx.core, ctx.wall});
    }
    calls.taken = order.size();
    return readings;
}

}  // namespace

double readable_seconds(const hone_timer& f, const Json& facts) {
    const double steps =
        facts.value("unit", std::string(f.unit)) == "s" ? least_steps * facts.value("resolution", 0.0) : 0;
    return std::clamp(std::max(steps, facts.value("least_window", 0.0)), usual_unit, longest_unit);
}

void check_growth(Contract& contract, const hone_timer& f, const Json& facts) {
    const std::string unit = facts.value("unit", std::string(f.unit));
    const double seconds = readable_seconds(f, facts);
    if (!std::isfinite(seconds)) return;
    Calls calls;
    const Readings all = read_all(contract, f, seconds, calls);
    const std::string cause = calls.failed ? std::to_string(calls.failed) + " calls failed" : "each was discarded";
    contract.expect(!all.empty(), "time: no reading of " + std::to_string(calls.taken) + " was kept: " + cause);
    if (all.empty()) return;
    const auto in_words = [&](double value) { return engineering(value, unit); };
    const double one = middle(all, sizes[0], &Reading::value), four = middle(all, sizes[1], &Reading::value),
                 sixteen = middle(all, sizes[2], &Reading::value);
    const double first = (four - one) / (sizes[1] - sizes[0]), second = (sixteen - four) / (sizes[2] - sizes[1]);
    const bool grows = first > 0 && second > first / 2 && second < 2 * first;
    contract.expect(grows, "time: readings grow with the work: of 1, 4 and 16 times " + engineering(seconds, "s") +
                               " it read " + in_words(one) + ", " + in_words(four) + " and " + in_words(sixteen));
    if (!grows) return;
    contract.expect(std::fabs(carried(all)) < most_carried * (sixteen - one),
                    "time: a reading is of its own run alone: after 16 times the work it read " +
                        in_words(carried(all)) + " more than after 1");
    const double wall = middle(all, sizes[2], &Reading::wall) - middle(all, sizes[0], &Reading::wall),
                 core = middle(all, sizes[2], &Reading::core) - middle(all, sizes[0], &Reading::core);
    contract.expect(unit != "s" || (sixteen - one > core / 2 && sixteen - one < 2 * wall),
                    "time: seconds are seconds: it read " + in_words(sixteen - one) + " more for what took " +
                        engineering(wall, "s") + " longer");
}

}  // namespace hone::contract
