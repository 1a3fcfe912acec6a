// timer.perf: cycles or instructions that a call costs in user space, counted by the processor for the process that
// runs the call (hone_run.pid). No load of the machine adds to instructions; cycles vary with caches and memory. The
// reference runs in the bench, whose threads are counted likewise; the way to a program and back is in both counts.
#include <linux/perf_event.h>
#include <map>
#include <memory>
#include "hone/plugin.hpp"
#include "timer/thread_counters.hpp"

namespace {

struct Counter {
    const char *name, *unit;
    hone::perf::Event event;
    double per_unit;  // counts
};

// "task-clock" is no counter of the processor's: every machine has it.
constexpr Counter counters[] = {
    {"cycles", "cycle", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES}, 1},
    {"instructions", "instruction", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS}, 1},
    {"task-clock", "s", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK}, 1e9},
};

const Counter& counter_of(const std::string& name) {
    for (const Counter& counter : counters)
        if (name == counter.name) return counter;
    return counters[0];
}

class Perf : public hone::TimerPart {
public:
    Perf(hone::Host host, hone::Doc given) : host_(host), counter_(counter_of(given.text("counter"))) {}

    void attach(const hone_device&) override {
        if (const auto why = hone::perf::refusal(counter_.event))
            throw hone::Refused(std::string("timer.perf cannot count ") + counter_.name + ": " + *why);
    }

    hone_sample time(const hone_run& run) override {
        if (run.size < offsetof(hone_run, pid) + sizeof run.pid || run.pid <= 0)
            throw hone::Refused("timer.perf needs a bench that names the process of a call");
        hone::perf::ThreadCounters& counted = of(run);
        double inside = NAN;
        const double before = counted.read();
        for (uint32_t call = 0; call < run.calls; ++call) host_.check(run.launch(run.ctx, call), "the launch failed");
        host_.check(run.wait(run.ctx, &inside), "the call failed");
        return {(counted.read() - before) / counter_.per_unit, 0, 0, 0};
    }

    void facts(hone::Out out) override {
        out.text("unit", counter_.unit);
        out.num("resolution", 1 / counter_.per_unit);
    }

    static constexpr hone_option options[] = {
        {"counter", "choice", "cycles", "cycles|instructions|task-clock",
         "what is counted: processor cycles, instructions, or seconds that the threads had a core"},
        {}};

private:
    // The last few processes are kept: a pair of calls goes to two of them in turn.
    hone::perf::ThreadCounters& of(const hone_run& run) {
        if (counters_.size() > most_processes) counters_.clear();
        std::unique_ptr<hone::perf::ThreadCounters>& kept = counters_[{run.pid, run.channel}];
        if (!kept) kept = std::make_unique<hone::perf::ThreadCounters>(run.pid, counter_.event);
        std::string why;
        if (!kept->follow(why))
            throw hone::Broken(std::string("cannot count ") + counter_.name + " of the candidate's process: " + why);
        return *kept;
    }

    static constexpr size_t most_processes = 8;
    hone::Host host_;
    const Counter& counter_;
    std::map<std::pair<int32_t, uint64_t>, std::unique_ptr<hone::perf::ThreadCounters>> counters_;
};

}  // namespace

HONE_TIMER(Perf, "perf", "0.1", "cycles or instructions of the process that runs a call, by perf_event_open", "cpu",
           "cycle")
