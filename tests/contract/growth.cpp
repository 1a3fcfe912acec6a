// Whether a timer's readings follow the work, and nothing else: runs of 1, 4 and 16 units of it in random order.
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
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

struct Took {
    double core = 0, wall = 0;  // seconds
};

Took timed_work(double steps) {
    const double core = core_seconds(), wall = monotonic_seconds();
    work(steps);
    return {core_seconds() - core, monotonic_seconds() - wall};
}

// A process that works when it is told to, as a candidate does.
class Worker {
public:
    Worker() {
        int to[2], from[2];
        if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || (pid_ = fork()) < 0)
            throw std::runtime_error("a process to work in cannot be had");
        if (pid_ == 0) {
            close(to[1]);
            for (double steps; read(to[0], &steps, sizeof steps) == sizeof steps;) {
                const Took took = timed_work(steps);
                if (write(from[1], &took, sizeof took) != sizeof took) break;
            }
            _exit(0);
        }
        close(to[0]), close(from[1]);
        to_ = to[1], from_ = from[0];
    }
    ~Worker() {
        close(to_), close(from_);
        waitpid(pid_, nullptr, 0);
    }
    Worker(const Worker&) = delete;
    pid_t pid() const { return pid_; }
    bool begin(double steps) const { return write(to_, &steps, sizeof steps) == sizeof steps; }
    bool end(Took& took) const { return read(from_, &took, sizeof took) == sizeof took; }

private:
    pid_t pid_ = -1;
    int to_ = -1, from_ = -1;
};

struct Run {
    double steps;
    const Worker* worker;  // null: this process works
    Took took{};
    double begun = 0;  // seconds of the monotonic clock
};

hone_run run_of(Run& ctx) {
    hone_run run{};
    run.size = sizeof run;
    run.ctx = &ctx;
    run.calls = 1;
    run.limit = 10;
    run.pid = ctx.worker ? ctx.worker->pid() : getpid();
    run.launch = [](void* at, std::uint32_t) -> hone_rc {
        Run& self = *static_cast<Run*>(at);
        self.begun = monotonic_seconds();
        if (self.worker) return self.worker->begin(self.steps) ? HONE_OK : HONE_BROKEN;
        self.took = timed_work(self.steps);
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

struct Reading {
    int units, before;  // of the run before it
    double value, core, wall;
};

using Readings = std::vector<Reading>;

// The median of the quarter of the runs of that size that others disturbed least: on a busy machine most are not as
// long as their work.
double middle(const Readings& readings, int units, double Reading::*what) {
    Readings of_size;
    for (const Reading& r : readings)
        if (r.units == units) of_size.push_back(r);
    if (of_size.empty()) return 0;
    std::sort(of_size.begin(), of_size.end(),
              [](const Reading& a, const Reading& b) { return a.wall - a.core < b.wall - b.core; });
    of_size.resize(std::max<std::size_t>(1, of_size.size() / 4));
    std::vector<double> values;
    for (const Reading& r : of_size) values.push_back(r.*what);
    return quantile(values, 0.5);
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

Readings read_all(Contract& contract, const hone_timer& f, double unit, const Worker* worker, Calls& calls) {
    std::vector<int> order;
    const double rounds = std::clamp(enough / (unit * (sizes[0] + sizes[1] + sizes[2])), 6.0, 32.0);
    for (int round = 0; round < static_cast<int>(rounds); ++round) order.insert(order.end(), sizes, std::end(sizes));
    Chance random(1, "growth", "");
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    const double steps = steps_of(unit);
    Readings readings;
    for (std::size_t i = 0; i < order.size(); ++i) {
        Run ctx{steps * order[i], worker};
        const hone_run run = run_of(ctx);
        hone_sample sample{};
        const hone_rc rc = contract.call("time", [&] { return f.time(contract.self(), &run, &sample); });
        calls.failed += rc != HONE_OK;
        if (rc == HONE_OK && !sample.discard)
            readings.push_back({order[i], i ? order[i - 1] : sizes[1], sample.value, ctx.took.core, ctx.took.wall});
    }
    calls.taken = order.size();
    return readings;
}

struct Growth {
    double one, four, sixteen;
    explicit Growth(const Readings& all)
        : one(middle(all, sizes[0], &Reading::value)),
          four(middle(all, sizes[1], &Reading::value)),
          sixteen(middle(all, sizes[2], &Reading::value)) {}
    bool follows() const {
        const double first = (four - one) / (sizes[1] - sizes[0]), second = (sixteen - four) / (sizes[2] - sizes[1]);
        return first > 0 && second > first / 2 && second < 2 * first;
    }
    std::string words(double seconds, const std::string& unit) const {
        return "of 1, 4 and 16 times " + engineering(seconds, "s") + " it read " + engineering(one, unit) + ", " +
               engineering(four, unit) + " and " + engineering(sixteen, unit);
    }
};

// All readings of as few tries as are alike: on a busy machine a quarter of the runs may be disturbed, too.
template <class Alike>
Readings read_until(Alike&& alike, Contract& contract, const hone_timer& f, double seconds, const Worker* worker,
                    Calls& calls) {
    constexpr int tries = 6;
    Readings all;
    for (int i = 0; i < tries; ++i) {
        calls = {};
        all = read_all(contract, f, seconds, worker, calls);
        if (all.empty() || alike(all)) break;
    }
    return all;
}

// A clock of processor time that is this process's own sees a reference, which works here, and no candidate.
void check_other_process(Contract& contract, const hone_timer& f, double seconds, const std::string& unit,
                         const Growth& here) {
    const Worker worker;
    Calls calls;
    const auto alike = [&](const Readings& all) {
        const Growth there(all);
        const double as_much = (there.sixteen - there.one) / (here.sixteen - here.one);
        return there.follows() && as_much > 0.5 && as_much < 2;
    };
    const Readings all = read_until(alike, contract, f, seconds, &worker, calls);
    contract.expect(all.empty() || alike(all),
                    "time: readings are of the process that works (`pid`), as of this one: there, " +
                        Growth(all).words(seconds, unit));
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
    const auto follows = [](const Readings& readings) { return Growth(readings).follows(); };
    const Readings all = read_until(follows, contract, f, seconds, nullptr, calls);
    const std::string cause = calls.failed ? std::to_string(calls.failed) + " calls failed" : "each was discarded";
    contract.expect(!all.empty(), "time: no reading of " + std::to_string(calls.taken) + " was kept: " + cause);
    if (all.empty()) return;
    const Growth read(all);
    contract.expect(read.follows(), "time: readings grow with the work: " + read.words(seconds, unit));
    const double more = read.sixteen - read.one;
    if (!(more > 0)) return;
    contract.expect(std::fabs(carried(all)) < most_carried * more,
                    "time: a reading is of its own run alone: after 16 times the work it read " +
                        engineering(carried(all), unit) + " more than after 1");
    if (!read.follows()) return;
    check_other_process(contract, f, seconds, unit, read);
    const double wall = middle(all, sizes[2], &Reading::wall) - middle(all, sizes[0], &Reading::wall),
                 core = middle(all, sizes[2], &Reading::core) - middle(all, sizes[0], &Reading::core);
    contract.expect(unit != "s" || (more > core / 2 && more < 2 * wall),
                    "time: seconds are seconds: it read " + engineering(more, unit) + " more for what took " +
                        engineering(wall, "s") + " longer");
}

}  // namespace hone::contract
