#include "judge/timing/timed_run.hpp"
#include <cmath>
#include "base/process.hpp"

namespace hone {
namespace {

constexpr std::uint64_t graph_way = ~std::uint64_t{0};  // of the reference as a graph; its eager form's is 0

std::string numbered(std::uint32_t call) { return "call " + std::to_string(call); }

}  // namespace

TimedRun::TimedRun(PreparedTask& prepared, Subject* subject, Subject* nothing, const hone_call& call, double limit,
                   double planted)
    : prepared_(prepared),
      subject_(subject),
      nothing_(nothing),
      call_(call),
      limit_(limit),
      planted_(planted),
      inside_(std::nan("")) {
    const bool empties = subject ? subject->offers_null_call() : prepared.baseline().offers_null_call();
    const std::uint64_t channel = subject                                       ? subject->channel()
                                  : prepared.baseline_form().ends_with("graph") ? graph_way
                                                                                : 0;
    run_ = {sizeof run_, this, 1, launch, wait, channel, empties ? null_call : nullptr, limit};
}

// A candidate's failure comes first: a timer that sees it may end as it likes. Then what the timer did, since nothing
// that it says of a call which it did not make is of use.
hone_sample TimedRun::read(Timer& timer) {
    hone_sample sample{};
    std::exception_ptr ended;
    try {
        sample = timer.time(run_);
    } catch (...) {
        ended = std::current_exception();
    }
    if (error_) std::rethrow_exception(error_);
    if (failure_) return {};
    if (!ended) require_each_once();
    if (!fault_.empty()) timer.broke(fault_);
    if (ended) std::rethrow_exception(ended);
    timer.require_reading(sample);
    return sample;
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
    if (call >= self.run_.calls) return self.refuse(numbered(call) + " was launched: there is none");
    if (self.launched_) return self.refuse(numbered(call) + " was launched twice");
    return guarded(ctx, [&](TimedRun& run) { run.begin(call); });
}

hone_rc TimedRun::wait(void* ctx, double* inside) {
    auto& self = *static_cast<TimedRun*>(ctx);
    const hone_rc rc = guarded(ctx, [](TimedRun& run) {
        if (run.running_) run.await();
    });
    if (inside) *inside = self.inside_;
    return rc;
}

hone_rc TimedRun::null_call(void* ctx) {
    return guarded(ctx, [](TimedRun& run) {
        run.running_ = true;
        run.subject_ ? run.subject_->null_call() : run.prepared_.baseline().null_call();
    });
}

void TimedRun::require_each_once() {
    if (!launched_) refuse("call 0 was not launched");
    if (running_) refuse("call 0 was not waited for");
}

void TimedRun::begin(std::uint32_t) {
    launched_ = running_ = true;
    begun_ = monotonic_seconds();
    subject_ ? subject_->launch(call_) : launch_reference();
}

void TimedRun::await() {
    running_ = false;
    inside_ = std::nan("");
    if (subject_) failure_ = subject_->wait(limit_, inside_);
    else prepared_.baseline().wait(), inside_ = prepared_.baseline().inside();
    linger();
}

void TimedRun::linger() const {
    if (planted_ <= 0 || !launched_) return;
    const double until = monotonic_seconds() + planted_ * (monotonic_seconds() - begun_);
    while (monotonic_seconds() < until) {
    }
}

void TimedRun::launch_reference() {
    if (nothing_) {
        double ignored = 0;
        nothing_->launch(call_);
        if (nothing_->wait(limit_, ignored)) throw PartBroken("the empty program failed");
    }
    prepared_.baseline().launch(call_);
}

}  // namespace hone
