// timer.cuda-probe: the bench's own clock alone (probe_clock.hpp), coarser than events and out of the candidate's
// reach.
#include <cmath>
#include "timer/cuda/probe_clock.hpp"

namespace {

class ProbeTimer : public hone::TimerPart {
public:
    static constexpr hone_option options[] = {hone::cuda::ProbeClock::flush_option, {}};
    ProbeTimer(hone::Host host, hone::Doc set) : clock_(host, set, "cuda-probe", hone::cuda::for_a_clock) {}
    void attach(const hone_device& device) override { clock_.attach(device); }
    void flush(const hone_tensor*, uint32_t) override { clock_.flush(); }
    hone_sample time(const hone_run& run) override {
        const hone::cuda::Reading reading = clock_.time(run);
        // less than an empty call: nothing can be said of it
        return {reading.probed, reading.busy || reading.probed <= 0, 0, 0};
    }
    void facts(hone::Out out) override {
        out.text("clock", "host, stopped by a probe kernel of the bench");
        out.num("process_spread", hone::cuda::probe_spread);
        clock_.facts(out);
    }

private:
    hone::cuda::ProbeClock clock_;
};

}  // namespace

HONE_TIMER(ProbeTimer, "cuda-probe", "1.0",
           "wall clock stopped by a kernel of the bench's own, out of the candidate's reach", "cuda", "s")
