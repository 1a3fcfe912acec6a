// timer.dsp-cycles: the cycles that the device of dsp.hpp has counted. The counter is where the verifier says: behind
// hone_device.queue of the kind "dsp".
#include <cstdint>
#include <hone/plugin.hpp>
#include <hone/timer.hpp>

struct DspCycles : hone::TimerPart {
    DspCycles(hone::Host host, hone::Doc) : host(host) {}
    void attach(const hone_device& device) override {
        if (!device.queue) throw hone::Refused("timer.dsp-cycles: the device shows no counter");
        cycles = static_cast<const std::uint64_t*>(device.queue);
    }
    hone_sample time(const hone_run& run) override {
        double inside = NAN;
        const std::uint64_t begin = *cycles;
        for (std::uint32_t call = 0; call < run.calls; ++call)
            host.check(run.launch(run.ctx, call), "a call could not be launched");
        host.check(run.wait(run.ctx, &inside), "the calls did not end");
        return {static_cast<double>(*cycles - begin), 0, 0, 0};
    }
    // no load of this machine disturbs a simulator's counter
    void facts(hone::Out out) override { out.num("virtual", 1), out.num("resolution", 1); }

    hone::Host host;
    const std::uint64_t* cycles = nullptr;
};
HONE_TIMER(DspCycles, "dsp-cycles", "1.0", "cycles of a simulated signal processor", "dsp", "cycle")
