#include "judge/timing/timed_run.hpp"
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include "base/process.hpp"
#include "base/quantity.hpp"

namespace hone {
namespace {

constexpr std::uint64_t graph_way = ~std::uint64_t{0};  // of the reference as a graph; its eager form's is 0

std::string numbered(std::uint32_t call) { return "call " + std::to_string(call); }

}  // namespace

TimedRun::TimedRun(PreparedTask& prepared, Subject* subject, Subject* nothing, Limits limits, double planted)
    : prepared_(prepared),
      subject_(subject),
      nothing_(nothing),
      limits_(limits),
      seen_(prepared.calls()),
      runs_(subject),
      planted_(planted),
      launched_(prepared.calls(), false) {
    const bool empties = subject ? subject->offers_null_call() : prepared.baseline().offers_null_call();
    const std::uint64_t channel = subject                                       ? subject->channel()
                                  : prepared.baseline_form().ends_with("graph") ? graph_way
                                                                                : 0;
    run_ = {sizeof run_,
            this,
            static_cast<std::uint32_t>(prepared.calls()),
            launch,
            wait,
            channel,
            empties ? null_call : nullptr,
            limits.call,
            subject ? subject->process() : getpid(),
            0,
            nullptr};
}

void TimedRun::put_look(std::vector<Positions> positions, CallSetup& setup) {
    look_at_ = std::move(positions);
    setup_ = &setup;
    run_.look = look;
}

void TimedRun::answer_null_calls(Subject& empty, bool apart) {
    empty_ = &empty;
    run_.null_call = null_call;
    run_.zero_apart = apart;
    if (apart) run_.channel = empty.channel();
}

void TimedRun::take_zero(Timer& timer) {
    run_.calls = 0;
    std::exception_ptr ended;
    try {
        timer.time(run_);
    } catch (...) {
        ended = std::current_exception();
    }
    if (error_) std::rethrow_exception(error_);
    if (ended) std::rethrow_exception(ended);
}

// A candidate's failure comes first: a timer that sees it may end as it likes. Then what the timer did, since nothing
// that it says of a call which it did not make is of use.
hone_sample TimedRun::read(Timer& timer) {
    hone_sample sample{};
    std::exception_ptr ended;
    if (waits_) waits_->begin(processes());
    const double begun = monotonic_seconds();
    try {
        sample = timer.time(run_);
    } catch (...) {
        ended = std::current_exception();
    }
    const double whole = monotonic_seconds() - begun;
    if (waits_) waited_ = waits_->longest();
    if (error_) std::rethrow_exception(error_);
    if (failure_) return {};
    if (!ended) require_each_once();
    if (!fault_.empty()) timer.broke(fault_);
    if (ended) std::rethrow_exception(ended);
    timer.require_reading(sample);
    timer.add_reading(sample, {seconds(), whole, subject_ == nullptr});
    return sample;
}

// That the calls of the side run in.
std::vector<pid_t> TimedRun::processes() const {
    if (subject_ || !nothing_) return {run_.pid};
    return {run_.pid, nothing_->process()};
}

void TimedRun::end() {
    if (!running_) return;
    guarded(this, [](TimedRun& run) { run.await(); });
    if (error_) std::rethrow_exception(error_);
}

template <class Body> hone_rc TimedRun::guarded(void* ctx, Body&& body) {
    auto& self = *static_cast<TimedRun*>(ctx);
    try {
        body(self);
        return self.failure_ ? HONE_FAILED : HONE_OK;
    } catch (...) {
        self.error_ = std::current_exception();
        return HONE_FAILED;
    }
}

hone_rc TimedRun::refuse(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
    return HONE_FAILED;
}

hone_rc TimedRun::launch(void* ctx, std::uint32_t call) {
    auto& self = *static_cast<TimedRun*>(ctx);
    if (self.is_elsewhere()) return self.refuse(numbered(call) + " was launched by another thread than time() has");
    if (call >= self.run_.calls) return self.refuse(numbered(call) + " was launched: there is none");
    if (self.launched_[call]) return self.refuse(numbered(call) + " was launched twice");
    return guarded(ctx, [&](TimedRun& run) { run.begin(call); });
}

hone_rc TimedRun::wait(void* ctx, double* inside) {
    const hone_rc rc = guarded(ctx, [](TimedRun& run) {
        if (run.running_) run.await();
    });
    if (inside) *inside = static_cast<TimedRun*>(ctx)->inside_;
    return rc;
}

hone_rc TimedRun::null_call(void* ctx) {
    auto& self = *static_cast<TimedRun*>(ctx);
    if (self.is_elsewhere()) return self.refuse("a null call was made by another thread than time() has");
    return guarded(ctx, [](TimedRun& run) {
        // a zero holds what giving inputs takes; before a call its own are nobody's to see
        if (run.run_.calls == 0 && run.late_) run.give_inputs(0);
        run.running_ = true;
        run.runs_ = run.empty_ ? run.empty_ : run.subject_;
        run.runs_ ? run.runs_->null_call() : run.prepared_.baseline().null_call();
        run.let_end();
    });
}

hone_rc TimedRun::look(void* ctx) {
    return guarded(ctx, [](TimedRun& run) {
        run.looked_.clear();
        for (std::size_t i = 0; i < run.look_at_.size(); ++i)
            run.looked_.push_back(run.setup_->sample(run.prepared_.call_layout(i), run.look_at_[i]));
    });
}

// A candidate with host code has ended when its launch returns. So has then what it is compared with: a look is no
// clock that waits.
void TimedRun::let_end() {
    if (!runs_ && run_.look) prepared_.baseline().wait();
}

void TimedRun::require_each_once() {
    const auto left_out = std::find(launched_.begin(), launched_.end(), false);
    if (left_out != launched_.end())
        refuse(numbered(static_cast<std::uint32_t>(left_out - launched_.begin())) + " was not launched");
    if (running_) refuse(numbered(run_.calls - 1) + " was not waited for");
}

// No verifier need queue two calls: the one before ends first.
void TimedRun::begin(std::uint32_t call) {
    if (running_) await();
    if (failure_) return;
    if (late_ && (before_ || late_->which == Inputs::data)) give_inputs(call);
    before_ = call;
    runs_ = subject_;
    call_begun_ = monotonic_seconds();
    if (begun_ == 0) begun_ = call_begun_, inside_ = 0;
    launched_[call] = running_ = true;
    const hone_call& prepared = prepared_.call_layout(call).call();
    subject_ ? subject_->launch(prepared) : launch_reference(prepared);
    let_end();
}

void TimedRun::give_inputs(std::uint32_t call) {
    if (before_) seen_[*before_] = setup_->sample(prepared_.call_layout(*before_), late_->positions[*before_]);
    if (late_->hold) hold();
    setup_->exchange_inputs(prepared_.call_layout(call), *late_->inputs[call], late_->which);
}

// The launch lets it go. The empty program that is run before the reference is held likewise: both sides pay for it.
void TimedRun::hold() {
    Subject* const runs = subject_ ? subject_ : nothing_;
    if (!runs) return;
    runs->suspend(true);
    runs->suspend(false);
}

void TimedRun::await() {
    running_ = false;
    double inside = std::nan("");
    const double left = seconds_left();
    if (runs_) failure_ = runs_->wait(left, inside);
    else prepared_.baseline().wait(), inside = prepared_.baseline().inside();
    if (failure_ && runs_ != subject_) throw PartBroken("the empty program failed: " + failure_->reason);
    if (failure_ && failure_->verdict == Verdict::TIMEOUT && left < limits_.call)
        failure_->reason =
            "a run of " + std::to_string(run_.calls) + " calls took more than " + engineering(limits_.run, "s");
    linger();
    ended_ = monotonic_seconds();
    inside_ = begun_ > 0 ? inside_ + inside : inside;  // of a null call: its own
}

double TimedRun::seconds_left() const {
    if (begun_ == 0) return limits_.call;
    return std::clamp(limits_.run - (monotonic_seconds() - begun_), 0.0, limits_.call);
}

void TimedRun::linger() const {
    if (planted_ <= 0 || call_begun_ == 0) return;
    const double until = monotonic_seconds() + planted_ * (monotonic_seconds() - call_begun_);
    while (monotonic_seconds() < until) {
    }
}

void TimedRun::launch_reference(const hone_call& call) {
    if (nothing_) {
        double ignored = 0;
        nothing_->launch(call);
        if (nothing_->wait(limits_.call, ignored)) throw PartBroken("the empty program failed");
    }
    prepared_.baseline().launch(call);
}

}  // namespace hone
