#include "timer/cuda/probe_clock.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

namespace hone::cuda {
namespace {

constexpr double asleep = 0.01;  // seconds after which those who wait for a call may have fallen asleep
// a probe on an idle device takes 10 us; one that takes turns with another context, milliseconds
constexpr double idle_probe = 2e-4;
constexpr std::size_t kept_zeros = 33;
constexpr std::size_t kept_events = 99;
// seconds that an empty call of another process may cost more than one of the bench's own: 12 were seen
constexpr double most_above_own = 15e-6;
constexpr int most_idle = 8;

// A bench that is older than this timer does not say.
bool zero_apart(const hone_run& run) { return run.size > offsetof(hone_run, zero_apart) && run.zero_apart; }
bool looks(const hone_run& run) { return run.size > offsetof(hone_run, look) && run.look; }

// Ways that no candidate can disturb (hone_run).
bool own(std::uint64_t channel) { return channel == 0 || channel == UINT64_MAX; }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

}  // namespace

void ProbeClock::Zeros::add(Reading reading) {
    for (double* seconds : {&reading.probed, &reading.waited, &reading.inside}) *seconds -= HONE_NULL_CALL_SECONDS;
    if (calls.size() == kept_zeros) calls.erase(calls.begin());
    calls.push_back(reading);
    ++taken;
}

Reading ProbeClock::Zeros::zero() const {
    const auto middle = [&](double Reading::*seconds) {
        std::vector<double> all;
        for (const Reading& call : calls) all.push_back(call.*seconds);
        return median(std::move(all));
    };
    return {middle(&Reading::probed), middle(&Reading::waited), middle(&Reading::inside)};
}

double ProbeClock::Zeros::spread() const {
    const double zero = this->zero().probed;
    std::vector<double> off;
    for (const Reading& call : calls) off.push_back(std::fabs(call.probed - zero));
    return 1.4826 * median(std::move(off));
}

ProbeClock::ProbeClock(Host host, Doc options, const char* name, EmptyCalls empties, bool with_probe)
    : host_(host),
      name_(name),
      empties_(empties),
      with_probe_(with_probe),
      flush_bytes_(static_cast<std::size_t>(options.integer("flush", 120)) << 20) {}

void ProbeClock::attach(const hone_device& device) {
    const std::string self = std::string("timer.") + name_;
    if (std::string_view(device.kind) != "cuda")
        throw Refused(self + " times devices of kind \"cuda\", this one is \"" + std::string(device.kind) + "\"");
    try {
        driver_ = &Driver::get();
    } catch (const Error& e) {
        throw Refused(self + ": " + e.what() + "; run it on a machine with an NVIDIA GPU");
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

Reading ProbeClock::time(const hone_run& run) {
    if (run.size <= offsetof(hone_run, limit) || !run.null_call)
        throw Refused(std::string("timer.") + name_ + " needs a bench that can make empty calls");
    Zeros& zeros = zeros_[run.channel];
    if (run.calls == 0) return take_zero(run, zeros), Reading{};
    if (!zero_apart(run) && now() - zeros.last > asleep) read(run, true);
    while (!zero_apart(run) && (zeros.calls.size() < empties_.first || zeros.samples * empties_.share > zeros.taken))
        add_empty_call(run, zeros);
    if (zeros.calls.empty()) throw Refused(std::string("timer.") + name_ + ": no zero was taken for this run");
    ++zeros.samples;
    zeros.used = true;
    Reading reading = read(run, false);
    zeros.last = now();
    turns_ += reading.turns;
    busy_ += reading.busy;
    ++samples_;
    Reading zero = zeros.zero();
    if (own(run.channel)) own_zero_ = zero.probed;
    else if (own_zero_ > 0 && !zero_apart(run)) zero.probed = std::min(zero.probed, own_zero_ + most_above_own);
    reading.probed -= (1 + reading.turns) * zero.probed;
    reading.waited -= zero.waited;
    reading.inside -= median(events_);
    if (with_probe_ && std::isfinite(reading.inside)) zeros.gaps.push_back(reading.probed - reading.inside);
    // forged events show less than a null call does; a negative time would be this timer's fault, 0 is the program's
    for (double* seconds : {&reading.probed, &reading.waited, &reading.inside})
        if (*seconds < 0) *seconds = 0;
    return reading;
}

void ProbeClock::add_empty_call(const hone_run& run, Zeros& zeros) {
    zeros.add(read(run, true));
    if (own(run.channel) && std::isfinite(zeros.calls.back().inside)) events_.push_back(zeros.calls.back().inside);
    if (events_.size() > kept_events) events_.erase(events_.begin());
}

// Of this task's calls alone: the bench's work on their inputs and outputs is in it.
void ProbeClock::take_zero(const hone_run& run, Zeros& zeros) {
    zeros = {};
    read(run, true);  // who waits for a call may have fallen asleep
    while (zeros.calls.size() < empties_.first) add_empty_call(run, zeros);
    zeros.last = now();
}

void ProbeClock::facts(Out out) {
    out.num("resolution", 1e-8);
    out.num("samples", static_cast<double>(samples_));
    out.num("interruptions", static_cast<double>(turns_));  // of kernels longer than a time slice, by the probe
    out.num("samples_disturbed", static_cast<double>(busy_));
    tell_condition(out);
    int i = 0;
    for (auto& [channel, zeros] : zeros_) zeros.idle = zeros.used ? 0 : zeros.idle + 1;
    // its process has probably ended
    std::erase_if(zeros_, [](const auto& entry) { return entry.second.idle > most_idle; });
    for (auto& [channel, zeros] : zeros_) {
        if (!zeros.used) continue;
        const Reading zero = zeros.zero();
        const std::string number = std::to_string(++i);
        if (with_probe_)
            out.num("empty_run_" + number, zero.probed), out.num("empty_run_spread_" + number, zeros.spread());
        else out.num("empty_run_" + number, zero.waited);
        if (std::isfinite(zero.inside)) out.num("events_run_" + number, zero.inside);
        // what the probe says more than the events
        if (!zeros.gaps.empty()) out.num("gap_" + number, median(zeros.gaps));
        zeros.used = false;
        zeros.gaps.clear();
    }
    if (!events_.empty()) out.num("events_add", median(events_));  // to the time of a kernel between them
    samples_ = turns_ = busy_ = 0;
}

// After the calls that were timed, and at most once a second, so that asking costs judging next to nothing.
void ProbeClock::tell_condition(Out out) {
    if (!nvml_) return;
    if (now() - asked_ > 1) condition_ = nvml_->condition(), asked_ = now();
    if (!condition_) return;
    out.num("temperature_celsius", condition_->celsius);
    out.num("power_watts", condition_->watts);
    out.num("sm_megahertz", condition_->sm_megahertz);
    out.num("memory_megahertz", condition_->memory_megahertz);
    out.text("slowed_by", slowed_by(condition_->slowed));
}

void ProbeClock::enter() { driver_->check(driver_->set_context(context_), "cuCtxSetCurrent"); }

void ProbeClock::flush() {
    enter();
    flushed_ = true;
    if (flush_bytes_)
        driver_->check(driver_->set_words(flush_at_, 0x5bd1e995u, flush_bytes_ / 4, queue_),
                       "cuMemsetD32Async (flush)");
}

void ProbeClock::probe() {
    enter();
    driver_->check(driver_->launch(probe_, 1, 1, 1, 32, 1, 1, 0, queue_, nullptr, nullptr), "cuLaunchKernel (probe)");
    driver_->check(driver_->synchronize(queue_), "cuStreamSynchronize (probe)");
}

Reading ProbeClock::read(const hone_run& run, bool empty) {
    enter();
    if (!flushed_) flush();
    flushed_ = false;
    driver_->check(driver_->synchronize(queue_), "cuStreamSynchronize");
    Reading reading;
    const double before = now();
    probe();
    const double begun = now();
    reading.busy = begun - before > idle_probe;
    if (empty) host_.check(run.null_call(run.ctx), (std::string("timer.") + name_ + ": the empty call failed").c_str());
    else
        for (uint32_t i = 0; i < run.calls; ++i)
            host_.check(run.launch(run.ctx, i), (std::string("timer.") + name_ + ": the launch failed").c_str());
    // a call of a program with host code is over when its launch returns; behind that come the bench's own works
    if (looks(run)) reading.waited = now() - begun;
    if (with_probe_) {
        if (looks(run)) host_.check(run.look(run.ctx), (std::string("timer.") + name_ + ": the look failed").c_str());
        else probe();
        reading.probed = now() - begun;
        if (!empty && !looks(run) && reading.probed > shortest_slice) follow(reading, begun, run.limit);
    }
    reading.inside = NAN;
    host_.check(run.wait(run.ctx, &reading.inside), (std::string("timer.") + name_ + ": the call failed").c_str());
    if (!looks(run)) reading.waited = now() - begun;
    return reading;
}

// A probe that had its turn within a long kernel, by the driver's time slices, says nothing of its end. But as long as
// the kernel runs the next probe must wait for a slice as well; the first that need not was preceded by the end.
void ProbeClock::follow(Reading& reading, double begun, double limit) {
    while (now() - begun < limit) {
        const double asked = now();
        probe();
        if (now() - asked < idle_probe) return;
        ++reading.turns;
        reading.probed = now() - begun;
    }
}

}  // namespace hone::cuda
