#include "phase.hpp"

namespace hone::contract {
namespace {

// One timer is checked in a process, in several phases.
std::size_t readings = 0;
std::size_t lost_since = 0;  // the number of the reading from which on none was kept; 0: the last one was

}  // namespace

hone_rc Phase::read(const hone_timer& f, const hone_run& run, hone_sample& sample) {
    ++readings, ++taken_;
    const hone_rc rc = contract_.call("time", [&] { return f.time(contract_.self(), &run, &sample); });
    if (rc != HONE_OK) ++failed_, error_ = contract_.error();
    else if (sample.discard) ++discarded_;
    const bool is_kept = rc == HONE_OK && !sample.discard;
    lost_since = is_kept ? 0 : lost_since ? lost_since : readings;
    return rc;
}

void Phase::count(std::size_t more) { readings += more; }

std::string Phase::loss() const {
    const std::string failed = error_.empty() ? "" : " (" + error_ + ")";
    if (lost_since && 4 * (readings + 1 - lost_since) >= 3 * taken_)
        return "from reading " + std::to_string(lost_since) + " on every call " +
               (failed_ ? "failed: " + error_ : "discarded its sample");
    return "of " + std::to_string(taken_) + " readings " + std::to_string(taken_ - failed_ - discarded_) +
           " were kept: " + std::to_string(failed_) + " calls failed" + failed + ", " + std::to_string(discarded_) +
           " discarded their sample";
}

bool Phase::has_enough() const {
    const std::size_t lost = failed_ + (may_discard_ ? 0 : discarded_);
    const bool enough = 4 * (taken_ - lost) >= taken_;
    contract_.expect(enough, "time: " + loss() + "; nothing can be said of such a meter");
    return enough;
}

}  // namespace hone::contract
