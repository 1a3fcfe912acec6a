#include "judge/timing/machine_load.hpp"
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include "base/process.hpp"
#include "judge/timing/paired_measurement.hpp"

namespace hone {
namespace {

// Of a process of its own; a program that runs in the bench is in the bench's time.
double used_by(const std::unique_ptr<Subject>& subject) {
    const int pid = subject ? subject->process() : 0;
    return pid == getpid() ? 0 : process_seconds(pid);
}

}  // namespace

LoadMeter::LoadMeter(const BenchContext& context, const Comparison& comparison)
    : context_(context), comparison_(comparison) {
    if (!context.real_clock) return;
    begun_ = monotonic_seconds();
    makers_ = makers();
    before_ = core_times(context.cores);
    own_before_ = own();
}

// The kernel counts ticks, so a difference of two readings may come out below nothing.
std::optional<MachineLoad> LoadMeter::read() const {
    const std::optional<CoreTimes> now = before_ ? core_times(context_.cores) : std::nullopt;
    const double seconds = monotonic_seconds() - begun_;
    if (!now || !(seconds > 0)) return std::nullopt;
    const double foreign = now->working - before_->working - (own() - own_before_);
    return MachineLoad{std::max(0.0, foreign / seconds), std::max(0.0, (now->stolen - before_->stolen) / seconds)};
}

std::set<int> LoadMeter::makers() const {
    std::set<int> all;
    for (const auto* subject : {&comparison_.candidate, &comparison_.against, &context_.empty})
        if (*subject && (*subject)->process() != getpid()) all.insert(parent_of((*subject)->process()));
    all.erase(getpid());  // RUSAGE_CHILDREN has its own
    all.erase(1);         // takes orphans of any program
    return all;
}

double LoadMeter::own() const {
    double live = 0;
    for (const auto* subject : {&comparison_.candidate, &comparison_.against, &context_.empty})
        live += used_by(*subject);
    for (const int maker : makers_) live += process_seconds(maker);
    return used_seconds(RUSAGE_SELF) + used_seconds(RUSAGE_CHILDREN) + live;
}

}  // namespace hone
