#include "growth_runs.hpp"
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include "base/chance.hpp"
#include "base/process.hpp"
#include "base/stats.hpp"

namespace hone::contract {
namespace {

constexpr std::size_t least_disturbed = 8;  // runs of a size that count

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

Took timed_work(double steps) {
    const double core = core_seconds(), wall = monotonic_seconds();
    work(steps);
    return {core_seconds() - core, monotonic_seconds() - wall};
}

struct Run {
    double steps;  // of a call
    std::uint32_t calls;
    const Worker* worker;  // null: this process works
    Took took{};
    double begun = 0;  // seconds of the monotonic clock
};

hone_run run_of(Run& ctx) {
    hone_run run{};
    run.size = sizeof run;
    run.ctx = &ctx;
    run.calls = ctx.calls;
    run.limit = 10;
    run.pid = ctx.worker ? ctx.worker->pid() : getpid();
    run.launch = [](void* at, std::uint32_t) -> hone_rc {
        Run& self = *static_cast<Run*>(at);
        self.begun = monotonic_seconds();
        if (self.worker) return self.worker->begin(self.steps) ? HONE_OK : HONE_BROKEN;
        const Took call = timed_work(self.steps);
        self.took.core += call.core, self.took.wall += call.wall;
        return HONE_OK;
    };
    run.wait = [](void* at, double* inside) -> hone_rc {
        Run& self = *static_cast<Run*>(at);
        *inside = std::nan("");
        if (!self.worker) return HONE_OK;
        const bool ended = self.worker->end(self.took);
        self.took.wall = monotonic_seconds() - self.begun;  // with the way there and back
        return ended ? HONE_OK : HONE_BROKEN;
    };
    return run;
}

template <class Value> double middle_of(const Readings& readings, int units, Value what) {
    const Readings some = of_size(readings, units);
    std::vector<double> values;
    for (const Reading& r : quietest(some, std::clamp<std::size_t>(some.size() / 4, 1, least_disturbed)))
        values.push_back(std::invoke(what, r));
    return values.empty() ? 0 : quantile(values, 0.5);
}

// How much more is read, on the median, by the runs after `yes` than by those after `no`, whatever their size.
template <class After> double carried(const Readings& readings, After&& yes, After&& no) {
    std::vector<double> after[2];
    for (const Reading& r : quietest(readings, readings.size() / 2))
        if (yes(r) || no(r)) after[yes(r)].push_back(r.value - middle(readings, r.units, &Reading::value));
    return after[0].empty() || after[1].empty() ? 0 : quantile(after[1], 0.5) - quantile(after[0], 0.5);
}
using IsAfter = bool (*)(const Reading&);

std::vector<int> random_order(const std::vector<int>& units, int rounds, Chance& random) {
    std::vector<int> order;
    for (int round = 0; round < rounds; ++round) order.insert(order.end(), units.begin(), units.end());
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

}  // namespace

Worker::Worker() {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || (pid_ = fork()) < 0)
        throw std::runtime_error("a process to work in cannot be had");
    if (pid_ == 0) {
        close(to[1]);
        for (double steps; ::read(to[0], &steps, sizeof steps) == sizeof steps;) {
            const Took took = timed_work(steps);
            if (write(from[1], &took, sizeof took) != sizeof took) break;
        }
        _exit(0);
    }
    close(to[0]), close(from[1]);
    to_ = to[1], from_ = from[0];
}

Worker::~Worker() {
    close(to_), close(from_);
    waitpid(pid_, nullptr, 0);
}

bool Worker::begin(double steps) const { return write(to_, &steps, sizeof steps) == sizeof steps; }
bool Worker::end(Took& took) const { return ::read(from_, &took, sizeof took) == sizeof took; }

Readings quietest(Readings readings, std::size_t n) {
    std::sort(readings.begin(), readings.end(),
              [](const Reading& a, const Reading& b) { return a.disturbance() < b.disturbance(); });
    readings.resize(std::min(n, readings.size()));
    return readings;
}

Readings of_size(const Readings& readings, int units) {
    Readings some;
    std::copy_if(readings.begin(), readings.end(), std::back_inserter(some),
                 [units](const Reading& r) { return r.units == units; });
    return some;
}

double middle(const Readings& readings, int units, double Reading::*what) { return middle_of(readings, units, what); }
double middle_gap(const Readings& readings, int units) { return middle_of(readings, units, &Reading::gap); }

double carried_by_work(const Readings& readings) {
    return carried<IsAfter>(
        readings, [](const Reading& r) { return r.before == growth_sizes[2]; },
        [](const Reading& r) { return r.before == growth_sizes[0]; });
}

double carried_by_pause(const Readings& readings) {
    return carried<IsAfter>(
        readings, [](const Reading& r) { return r.paused; }, [](const Reading& r) { return !r.paused; });
}

void read_all(const Timed& timed, const std::vector<int>& units, int rounds, Readings& readings, Phase& phase) {
    Chance random(readings.size() + 1, "growth", "");
    const std::vector<int> order = random_order(units, rounds, random);
    const double steps = steps_of(timed.unit);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool paused = random.below(2);
        if (paused) usleep(static_cast<useconds_t>(1e6 * pause_units * timed.unit));
        const int calls_of_run = timed.in_calls ? order[i] : 1;
        Run ctx{steps * order[i] / calls_of_run, static_cast<std::uint32_t>(calls_of_run), timed.worker};
        const hone_run run = run_of(ctx);
        hone_sample sample{};
        if (phase.read(timed.f, run, sample) == HONE_OK && !sample.discard)
            readings.push_back({order[i], i ? order[i - 1] : growth_sizes[1], paused, sample.value, ctx.took.core,
                                ctx.took.wall, sample.independent, sample.tolerance});
    }
}

}  // namespace hone::contract
