// timer.cuda-probe: a clock that device code cannot forge. It starts when the bench asks for the launch and stops when a kernel of the
// bench's own, launched as soon as that launch call has returned, has run: on one device the probe's context has its turn only after the
// candidate's kernel has ended. What the two changes of context cost is measured with empty calls by the same way and taken off. CUDA
// events and stream completion, in contrast, can be written by any kernel of the context they belong to.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <vector>
#include "cuda/driver.hpp"
#include "cuda/nvml.hpp"
#include "hone/plugin.hpp"

namespace {

using namespace hone::cuda;

constexpr double slice = 1.8e-3;        // of the driver it is 2.1 ms: a longer kernel is interrupted by the probe
constexpr double longest = 30;          // seconds; whoever hangs longer is ended by who waits for it
constexpr double pause = 0.01;          // seconds after which those who wait for a call may have fallen asleep
constexpr double idle_probe = 2e-4;     // a probe on an idle device takes 10 us; one that takes turns with another context, milliseconds
constexpr std::size_t first_zeros = 16, kept_zeros = 33;
constexpr double zeros_share = 0.4;     // empty calls for each call

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

class ProbeTimer {
public:
    static constexpr hone_option options[] = {
        {"flush", "int", "120", "0..4096", "MiB written before each call, so that no cache line is left: twice the L2"}, {}};

    ProbeTimer(hone::Host host, hone::Doc set) : host_(host), flush_bytes_(static_cast<std::size_t>(set.integer("flush", 120)) << 20) {}

    void attach(const hone_device& device) {
        if (std::string_view(device.kind) != "cuda")
            throw hone::Refused("timer.cuda-probe times devices of kind \"cuda\", this one is \"" + std::string(device.kind) + "\"");
        try { driver_ = &Driver::get();
        } catch (const Error& e) {
            throw hone::Refused(std::string("timer.cuda-probe: ") + e.what() + "; run it on a machine with an NVIDIA GPU");
        }
        queue_ = static_cast<Stream>(device.queue);
        context_ = static_cast<Context>(device.context);
        enter();
        probe_ = load_empty(*driver_);
        Device number = 0;
        driver_->check(driver_->device(&number, device.index), "cuDeviceGet");
        nvml_.emplace(*driver_, number);
        if (flush_bytes_) driver_->check(driver_->allocate(&flush_at_, flush_bytes_), "cuMemAlloc (flush)");
        probe();
    }

    void flush(const hone_tensor*, uint32_t) {
        enter();
        if (flush_bytes_) driver_->check(driver_->set_words(flush_at_, 0x5bd1e995u, flush_bytes_ / 4, queue_), "cuMemsetD32Async (flush)");
    }

    hone_sample time(const hone_run& run) {
        const bool has_empty = run.size > offsetof(hone_run, empty) && run.empty;
        if (!has_empty) throw hone::Refused("timer.cuda-probe needs a bench that can make empty calls");
        Zeros& zeros = zeros_[run.way];
        if (now() - zeros.last > pause) read(run, true);
        while (zeros.probed.size() < first_zeros || zeros.samples * zeros_share > zeros.taken) zeros.add(read(run, true).probed);
        ++zeros.samples;
        zeros.used = true;
        flush(nullptr, 0);
        const Reading reading = read(run, false);
        zeros.last = now();
        turns_ += reading.turns;
        busy_ += reading.busy;
        ++samples_;
        return {reading.probed - (1 + reading.turns) * zeros.zero(), NAN, reading.busy};
    }

    // Of what was timed since the last facts: one judgement.
    void facts(hone::Out out) {
        out.text("clock", "host, stopped by a probe kernel of the bench");
        out.num("resolution", 1e-8);
        out.num("samples", static_cast<double>(samples_));
        out.num("interruptions", static_cast<double>(turns_));  // of kernels longer than a time slice, by the probe
        out.num("samples_disturbed", static_cast<double>(busy_));
        tell_condition(out);
        int i = 0;
        std::erase_if(zeros_, [](const auto& entry) { return !entry.second.used; });  // its process has probably ended
        for (auto& [way, zeros] : zeros_) {
            zeros.used = false;
            out.num("empty_run_" + std::to_string(++i), zeros.zero());
            out.num("empty_run_spread_" + std::to_string(i), zeros.spread());
        }
        samples_ = turns_ = busy_ = 0;
    }

private:
    struct Reading {
        double probed = 0;  // seconds until a probe had run after which nothing of the code was left
        int turns = 0;      // probes before that one, each a turn in the middle of the code
        int busy = 0;       // something else was running before: a kernel of an earlier call, perhaps
    };
    struct Zeros {
        std::vector<double> probed;
        double last = 0;  // when a call by this way ended
        long samples = 0, taken = 0;
        bool used = false;  // since the last facts
        void add(double seconds) {
            if (probed.size() == kept_zeros) probed.erase(probed.begin());
            probed.push_back(seconds);
            ++taken;
        }
        double zero() const { return median(probed); }
        double spread() const {
            std::vector<double> off;
            for (const double x : probed) off.push_back(std::fabs(x - zero()));
            return 1.4826 * median(off);  // a robust standard deviation
        }
    };

    // After the calls that were timed, and at most once a second, so that asking costs judging next to nothing.
    void tell_condition(hone::Out out) {
        if (!nvml_) return;
        if (now() - asked_ > 1) condition_ = nvml_->condition(), asked_ = now();
        if (!condition_) return;
        out.num("temperature_celsius", condition_->celsius);
        out.num("power_watts", condition_->watts);
        out.num("sm_megahertz", condition_->sm_megahertz);
        out.num("memory_megahertz", condition_->memory_megahertz);
        out.text("slowed_by", slowed_by(condition_->slowed));
    }

    void enter() { driver_->check(driver_->set_context(context_), "cuCtxSetCurrent"); }
    void probe() {
        enter();
        driver_->check(driver_->launch(probe_, 1, 1, 1, 32, 1, 1, 0, queue_, nullptr, nullptr), "cuLaunchKernel (probe)");
        driver_->check(driver_->synchronize(queue_), "cuStreamSynchronize (probe)");
    }

    Reading read(const hone_run& run, bool empty) {
        if (empty) flush(nullptr, 0);
        enter();
        driver_->check(driver_->synchronize(queue_), "cuStreamSynchronize");
        Reading reading;
        const double before = now();
        probe();
        const double begun = now();
        reading.busy = begun - before > idle_probe;
        if (empty) host_.check(run.empty(run.ctx), "timer.cuda-probe: the empty call failed");
        else for (uint32_t i = 0; i < run.calls; ++i) host_.check(run.launch(run.ctx, i), "timer.cuda-probe: the launch failed");
        probe();
        reading.probed = now() - begun;
        if (!empty && reading.probed > slice) follow(reading, begun);
        double inside = NAN;
        host_.check(run.wait(run.ctx, &inside), "timer.cuda-probe: the call failed");
        return reading;
    }

    // A probe that had its turn within a long kernel, by the driver's time slices, says nothing of its end. But as long as the kernel runs the
    // next probe must wait for a slice as well; the first that need not was preceded by the end.
    void follow(Reading& reading, double begun) {
        while (now() - begun < longest) {
            const double asked = now();
            probe();
            if (now() - asked < idle_probe) return;
            ++reading.turns;
            reading.probed = now() - begun;
        }
    }

    hone::Host host_;
    std::size_t flush_bytes_;
    const Driver* driver_ = nullptr;
    Context context_ = nullptr;
    Stream queue_ = nullptr;
    Function probe_ = nullptr;
    Address flush_at_ = 0;
    std::map<std::uint64_t, Zeros> zeros_;
    long samples_ = 0, turns_ = 0, busy_ = 0;
    std::optional<Nvml> nvml_;
    std::optional<Condition> condition_;
    double asked_ = 0;  // when
};

}  // namespace

HONE_TIMER(ProbeTimer, "cuda-probe", "1.0", "wall clock stopped by a kernel of the bench's own, out of the candidate's reach", "cuda", "s")
