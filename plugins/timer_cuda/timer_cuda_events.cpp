// timer.cuda-events: the events of the process that the kernels run in, as fine as 0.1 us, where the bench's own clock (probe_clock.hpp), over the
// same calls, is their witness. A kernel can write the events' memory; what it may gain by that unseen is less than the slack, since the probe shows
// some more in any case: what is left of a kernel's writes when it has ended, perhaps.
#include <cmath>
#include "probe_clock.hpp"

namespace {

// The probe shows more by 2 to 5 us where many calls were read, on an H200, by up to 7 us in a fresh process or a graph, of kernels of 10 us to
// 1.7 ms (docs/measurements.md).
constexpr double slack_seconds = 7e-6, slack_share = 0.005;
// Of a kernel against itself, in two processes each time, 30 and 450 us long alike.
constexpr double process_spread = 0.15e-6;

class EventsTimer {
public:
    static constexpr hone_option options[] = {hone::cuda::ProbeClock::flush_option, {}};
    EventsTimer(hone::Host host, hone::Doc set) : clock_(host, set, "cuda-events") {}
    void attach(const hone_device& device) { clock_.attach(device); }
    // Events count in what other contexts do between a long kernel's time slices; the probe's reading tells it apart.
    hone_sample time(const hone_run& run) {
        const hone::cuda::Reading reading = clock_.time(run);
        if (reading.turns || !std::isfinite(reading.inside)) return {reading.probed, NAN, reading.busy, 0, 0};
        return {reading.inside, NAN, reading.busy, reading.probed, slack_seconds + slack_share * reading.probed};
    }
    void facts(hone::Out out) {
        out.text("clock", "events of the process that the kernels run in, witnessed by a probe kernel of the bench");
        out.num("process_spread", process_spread);
        clock_.facts(out);
    }

private:
    hone::cuda::ProbeClock clock_;
};

}  // namespace

HONE_TIMER(EventsTimer, "cuda-events", "1.0", "CUDA events of the process the kernels run in, with the probe's clock as their witness", "cuda", "s")
