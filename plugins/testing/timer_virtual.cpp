// timer.virtual: reads the fake device's virtual clock, so that a test of the judge is exact, fast and the same on
// every machine. Noise, if asked for, is a pure function of (seed, when the call began, how long it took): the same
// judging gives the same samples.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include "hone/inputs.h"
#include "hone/plugin.hpp"

namespace {

constexpr double tolerance = 1e-6;    // seconds between the two clocks
constexpr double resolution = 1e-12;  // seconds: a reading does not depend on the hour at which the call began

class VirtualTimer : public hone::TimerPart {
public:
    VirtualTimer(hone::Host, hone::Doc given)
        : noise_(given.num("noise", 0)),
          seed_(static_cast<uint64_t>(given.integer("seed", 1))),
          inside_(given.flag("inside")) {}

    void attach(const hone_device& device) override {
        if (std::string(device.kind) != "fake" || !device.queue)
            throw hone::Refused("timer.virtual reads a virtual clock, which only verifier.fake has");
        clock_ = static_cast<const double*>(device.queue);
    }

    hone_sample time(const hone_run& run) override {
        const double begun = *clock_;
        for (uint32_t i = 0; i < run.calls; ++i)
            if (run.launch(run.ctx, i) != HONE_OK) throw hone::Failed("launch failed");
        if (run.look && run.look(run.ctx) != HONE_OK) throw hone::Failed("look failed");
        double inside = std::numeric_limits<double>::quiet_NaN();
        if (run.wait(run.ctx, &inside) != HONE_OK) throw hone::Failed("wait failed");
        const double elapsed = std::round((*clock_ - begun) / resolution) * resolution;
        const double value = elapsed * factor(begun, elapsed);
        if (inside_ && std::isfinite(inside)) return {inside, 0, value, tolerance};
        return {value, 0, 0, inside_ ? tolerance : 0};
    }

    void facts(hone::Out out) override {
        out.num("resolution", resolution);
        out.num("virtual", 1);
    }

    static constexpr hone_option options[] = {
        {"noise", "num", "0", "0..1", "deviation of the natural logarithm of a sample"},
        {"seed", "int", "1", nullptr, "seed of the noise"},
        {"inside", "bool", "false", nullptr,
         "read what a program's own process says of its time, with the device's clock as independent clock"},
        {}};

private:
    // exp(noise * z), z near-normal
    double factor(double begun, double elapsed) const {
        if (noise_ == 0) return 1;
        const hone_block block =
            hone_philox(seed_ ^ std::bit_cast<uint64_t>(begun), std::bit_cast<uint64_t>(elapsed), 0);
        return std::exp(noise_ * hone_value(block.word[0], {HONE_LAW_NORMAL, 1, 0}));
    }

    const double* clock_ = nullptr;
    double noise_;
    uint64_t seed_;
    bool inside_;
};

}  // namespace

HONE_TIMER(VirtualTimer, "virtual", "1.0", "the fake device's clock, exact or with seeded noise", "fake", "s")
