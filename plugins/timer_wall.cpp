// timer.wall: the monotonic clock of the bench around launch and wait. The candidate runs in another process and cannot reach it.
#include <time.h>
#include <algorithm>
#include "hone/plugin.hpp"

namespace {

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Wall {
    Wall(hone::Host host, hone::Doc) : host_(host) {}

    hone_sample time(const hone_run& run) const {
        double inside;
        const double begun = now();
        for (uint32_t call = 0; call < run.calls; ++call) {
            host_.check(run.launch(run.ctx, call), "the launch failed");
            host_.check(run.wait(run.ctx, &inside), "the call failed");
        }
        return {now() - begun, NAN, 0};
    }

    void facts(hone::Out out) const {
        timespec resolution;
        clock_getres(CLOCK_MONOTONIC, &resolution);
        out.num("resolution", static_cast<double>(resolution.tv_sec) + 1e-9 * static_cast<double>(resolution.tv_nsec));
        double least = 1;
        for (int i = 0; i < 100; ++i) {
            const double begun = now();
            least = std::min(least, now() - begun);
        }
        out.num("overhead", least);
    }

private:
    hone::Host host_;
};

}  // namespace

HONE_TIMER(Wall, "wall", "0.1", "wall-clock seconds around launch and wait, taken in the bench", "cpu", "s")
