// timer.cuda-events: the events of the process that the kernels run in, as fine as 0.1 us, where the bench's own clock
// (probe_clock.hpp), over the same calls, is their independent clock. A kernel can write the events' memory; what it
// may gain by that unseen, on the mean, is the tolerance.
#include <cmath>
#include "timer/cuda/probe_clock.hpp"

namespace {

// The probe shows more by 2 to 5 us where many calls were read, on an H200, by up to 7 us in a fresh process or a graph
// (docs/results/judge-gpu.md). Two sides of a pair differ in that by less than this.
constexpr double tolerance_seconds = 3.5e-6, tolerance_share = 0.005;

class EventsTimer : public hone::TimerPart {
public:
    static constexpr hone_option options[] = {hone::cuda::ProbeClock::flush_option, {}};
    EventsTimer(hone::Host host, hone::Doc set)
        : clock_(host, set, "cuda-events", hone::cuda::for_an_independent_clock) {}
    void attach(const hone_device& device) override { clock_.attach(device); }
    void flush(const hone_tensor*, uint32_t) override { clock_.flush(); }
    // Events count in what other contexts do between a long kernel's time slices; the probe's reading tells it apart.
    hone_sample time(const hone_run& run) override {
        const hone::cuda::Reading reading = clock_.time(run);
        if (reading.turns || !std::isfinite(reading.inside)) return {reading.probed, reading.busy, 0, 0};
        return {reading.inside, reading.busy, reading.probed, tolerance_seconds + tolerance_share * reading.probed};
    }
    void facts(hone::Out out) override {
        out.text("clock", "events of the process that the kernels run in, checked by a probe kernel of the bench");
        out.num("process_spread", hone::cuda::events_spread);
        out.num("independent_spread", hone::cuda::probe_spread);
        clock_.facts(out);
    }

private:
    hone::cuda::ProbeClock clock_;
};

}  // namespace

HONE_TIMER(EventsTimer, "cuda-events", "1.0",
           "CUDA events of the process the kernels run in, with the probe's clock as their independent clock", "cuda",
           "s")
