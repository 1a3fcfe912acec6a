#include "judge/call/readings.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/quantity.hpp"

namespace hone {
namespace {

// A reading may be shorter than the bench's time for good reason: a clock of processor time stands still while the
// call waits, events leave the way there out. None can be much longer.
constexpr double most_times = 2, slack = 1e-4;  // seconds
// A reference on the host works in the bench; a busy machine takes much of its time in some calls, not in all.
constexpr double least_share = 1.0 / 20;
constexpr std::size_t least_of_reference = 16, least_readings = 20;
// A reading of fewer steps may well come again; nine of ten calls never take the same ten thousandth.
constexpr double many_steps = 1e4;

std::string count_of(std::size_t some, std::size_t all) {
    return std::to_string(some) + " of " + std::to_string(all) + " readings";
}

}  // namespace

std::string Readings::add(const hone_sample& sample, const RunTimes& run) {
    ++readings_;
    if (sample.discard) return ++discarded_, std::string();
    // a value with an independent clock is the program's own word
    const double value = sample.independent > 0 ? sample.independent : sample.value;
    if (meter_.is_virtual) return {};
    if (meter_.unit == "s")
        for (const std::string& fault : {too_long(value, run), too_short(value, run)})
            if (!fault.empty()) return fault;
    return repeated(value);
}

std::string Readings::too_long(double value, const RunTimes& run) const {
    const double most = most_times * meter_.parallel * run.whole + meter_.resolution + slack;
    if (value <= most) return {};
    return "gave " + engineering(value, "s") + " for a run that took " + engineering(run.whole, "s") +
           " by the bench's clock; its unit is \"s\", of seconds";
}

std::string Readings::too_short(double value, const RunTimes& run) {
    if (!run.reference || !meter_.on_host || !(run.calls > 0)) return {};
    largest_share_ = std::max(largest_share_, (value + meter_.resolution) / run.calls);
    if (++of_reference_ < least_of_reference || largest_share_ >= least_share) return {};
    char share[32];
    std::snprintf(share, sizeof share, "%.2g %%", 100 * largest_share_);
    return std::string("gave at most ") + share + " of the bench's time in all of " + std::to_string(of_reference_) +
           " runs of the reference; its unit is \"s\", of all calls of a run together";
}

// Counts of work may be the same each time; seconds and joules are not.
std::string Readings::repeated(double value) {
    if (value <= 0 || (meter_.unit != "s" && meter_.unit != "J")) return {};
    ++kept_;
    const std::size_t times = ++seen_[value];
    const bool explained = meter_.resolution > 0 && value < many_steps * meter_.resolution;
    if (kept_ < least_readings || 10 * times < 9 * kept_ || explained) return {};
    return "gave exactly " + engineering(value, meter_.unit) + " in " + count_of(times, kept_) +
           ", and tells no \"resolution\" that explains it";
}

std::string Readings::discards() const {
    return discarded_ == 0 || 2 * discarded_ < readings_ ? "" : "discarded " + count_of(discarded_, readings_);
}

}  // namespace hone
