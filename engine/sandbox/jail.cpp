#include "sandbox/jail.hpp"
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include "base/error.hpp"

namespace hone {
namespace {

constexpr double stop_seconds = 2;
constexpr double stall_seconds = 0.75;  // that a machine may stand still
// between two looks: who has asked something asks again, in this call or the next
constexpr double quiet_slice = 5e-3, busy_slice = 1e-4;

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, double seconds = 0) {
    const timespec limit{static_cast<time_t>(seconds), static_cast<long>(std::fmod(seconds, 1.0) * 1e9)};
    syscall(SYS_futex, &word, operation, value, operation == FUTEX_WAIT ? &limit : nullptr, nullptr, 0);
}

}  // namespace

Jail::~Jail() {
    child_.kill();
    if (control_) munmap(control_, sizeof(JailControl));
}

std::uint64_t Jail::map(std::uint64_t at) const {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        const auto begin = reinterpret_cast<std::uint64_t>(regions_[i].at);
        if (at >= begin && at < begin + regions_[i].bytes) return bases_[i] + (at - begin);
    }
    throw Error(Blame::input, "jail", "a tensor lies outside the memory that was shared with the candidate");
}

void Jail::call(const hone_call& call) {
    if (call.n_in > max_tensors || call.n_out > max_tensors || call.n_sizes > max_sizes)
        throw Error(Blame::environment, "jail", "more tensors or sizes than a call can take");
    if (end_) return;
    for (std::uint32_t i = 0; i < call.n_in; ++i) control_->in[i] = map(call.in[i].at);
    for (std::uint32_t i = 0; i < call.n_out; ++i) control_->out[i] = map(call.out[i].at);
    std::copy(call.sizes, call.sizes + call.n_sizes, control_->sizes);
    if (!asked_) answer_questions(0);  // else that was done outside the timed interval
    asked_ = false;
    at_bell_ = schedule().worked;
    control_->bell.store(++calls_);
    if (stopped_) release();  // its wait begins again and finds the bell changed
    else futex(control_->bell, FUTEX_WAKE, 1);
}

bool Jail::wait(double seconds, double* inside) {
    const double starved = std::max(seconds, stall_seconds);
    const auto late = [&](double passed) {
        return passed > (schedule().worked - at_bell_ > seconds / 2 ? seconds : starved);
    };
    if (!end_ && !await(late)) finish("TIMEOUT", "", "no answer within " + seconds_text(seconds));
    if (!end_ && inside) *inside = static_cast<double>(control_->inside) * seconds_per_tick_;
    return !end_;
}

// Sleeps until the runner says that it has finished; looks at the kernel's side every few milliseconds. False: it has
// ended, or is late.
bool Jail::await(const std::function<bool(double passed)>& late) {
    const double begun = monotonic_seconds();
    for (slice_ = std::max(slice_, busy_slice);;) {
        const std::uint32_t done = control_->done.load();
        if (done == calls_) return true;
        futex(control_->done, FUTEX_WAIT, done, slice_);
        if (control_->done.load() == calls_) return true;
        slice_ = answer_questions(0) || starting_ ? busy_slice : quiet_slice;
        replace_thread();
        team_.settle();
        if (!look()) return false;
        const double passed = monotonic_seconds() - begun;
        if (control_->done.load() != calls_ && late(passed)) return false;
    }
}

void Jail::suspend(bool held) {
    if (end_ || (held && stopped_)) return;
    if (!held) {
        if (stopped_ && without_.contains("bell")) release();
        return;
    }
    answer_questions(0);  // first: stopping a thread withdraws its question
    if (end_) return;
    starting_.reset();  // it asks again
    asked_ = stopped_ = true;
    ::kill(child_.pid(), SIGSTOP);
    const int state = wait_until_stopped();
    if (state == 0) return finish("RUNTIME_ERROR", "", "could not be stopped");
    team_.settle();
    if (state == CLD_STOPPED && !without_.contains("count") && !team_.complete())
        finish("RUNTIME_ERROR", "", "has fewer threads than it was started with");
}

void Jail::release() {
    stopped_ = false;
    ::kill(child_.pid(), SIGCONT);
}

Jail::Schedule Jail::schedule() const {
    char text[64] = "";
    if (pread(schedule_.get(), text, sizeof text - 1, 0) <= 0) return {};
    char* rest = text;
    const double worked = std::strtod(text, &rest);
    return {1e-9 * worked, 1e-9 * std::strtod(rest, nullptr)};
}

// A thread on the same core stops as soon as it gets that core; one that the kernel keeps longer (a large mapping being
// filled) is waited for.
int Jail::wait_until_stopped() {
    const double deadline = monotonic_seconds() + stop_seconds;
    for (int tries = 0; monotonic_seconds() < deadline; ++tries) {
        siginfo_t info{};
        if (waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG) == 0 &&
            info.si_pid != 0) {
            if (info.si_code == CLD_STOPPED)
                waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WSTOPPED | WNOHANG);  // told once
            return info.si_code;
        }
        if (tries < 1000) sched_yield();
        else usleep(100);
    }
    return 0;
}

std::string seconds_text(double seconds) { return std::to_string(seconds).substr(0, 5) + " s"; }

void Jail::finish(std::string verdict, std::string kind, std::string reason) {
    if (end_) return;
    end_ = {std::move(verdict), std::move(kind), std::move(reason)};
    child_.kill();
    listener_.close();
}

}  // namespace hone
