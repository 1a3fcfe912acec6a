// A timer outside hone's tree: the whole of what a hardware team writes. Replace `now` by a counter, a simulator's
// clock or a power meter, say for which kinds of device and in what unit it measures, and `run:timer("stopwatch")`
// finds it. What moves in steps tells facts "resolution" and "least_window" (hone/timer.h): a run then has several
// calls. A counter of the candidate's own work reads the process run.pid; a counter in this process sees the bench.
#include <ctime>
#include <hone/plugin.hpp>

struct Stopwatch : hone::TimerPart {
    Stopwatch(hone::Host host, hone::Doc) : host(host) {}
    void attach(const hone_device&) override {}
    hone_sample time(const hone_run& run) override {
        double inside = NAN;  // what the candidate's process says of itself: a hint that this timer does not need
        const double begin = now();
        for (uint32_t call = 0; call < run.calls; ++call)
            host.check(run.launch(run.ctx, call), "a call could not be launched");
        host.check(run.wait(run.ctx, &inside), "the calls did not end");
        return {now() - begin, 0, 0, 0};
    }
    static double now() {
        timespec t;
        clock_gettime(CLOCK_MONOTONIC_RAW, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    hone::Host host;
};
HONE_TIMER(Stopwatch, "stopwatch", "1.0", "the kernel's raw monotonic clock around a run", "cpu", "s")
