// timer.cuda-wall: the bench's clock from the launch until the process that the kernels run in says that they have
// finished, less that of an empty call. For programs that are trusted: completion is a word in memory that a kernel can
// write.
#include <cmath>
#include "timer/cuda/probe_clock.hpp"

namespace {

class WallTimer : public hone::TimerPart {
public:
    static constexpr hone_option options[] = {hone::cuda::ProbeClock::flush_option, {}};
    WallTimer(hone::Host host, hone::Doc set) : clock_(host, set, "cuda-wall", hone::cuda::for_a_clock, false) {}
    void attach(const hone_device& device) override { clock_.attach(device); }
    void flush(const hone_tensor*, uint32_t) override { clock_.flush(); }
    hone_sample time(const hone_run& run) override {
        const hone::cuda::Reading reading = clock_.time(run);
        // less than an empty call: nothing can be said of it
        return {reading.waited, reading.busy || reading.waited <= 0, 0, 0};
    }
    void facts(hone::Out out) override {
        out.text("clock", "host, stopped when the candidate's process says that it has finished");
        clock_.facts(out);
    }

private:
    hone::cuda::ProbeClock clock_;
};

}  // namespace

HONE_TIMER(WallTimer, "cuda-wall", "1.0",
           "wall clock until the kernels' own process says that they have finished: for trusted programs", "cuda", "s")
