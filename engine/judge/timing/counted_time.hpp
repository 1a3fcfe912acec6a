// judge/timing/counted_time.hpp: what does not count as time of timing.
#pragma once
#include <algorithm>
#include "base/process.hpp"
#include "base/stats.hpp"

namespace hone {

// Takes its own lifetime out of a stretch of time that began at `begun`.
class NotCounted {
public:
    explicit NotCounted(double& begun) : begun_(begun) {}
    ~NotCounted() { begun_ += monotonic_seconds() - since_; }
    NotCounted(const NotCounted&) = delete;

private:
    double& begun_;
    const double since_ = monotonic_seconds();
};

// Seconds by which single calls of a side were longer than four times its quickest one. A program that sleeps now and
// then would otherwise choose how many pairs the time allows.
class Excess {
public:
    void add(double seconds) {
        quickest_ = std::min(quickest_, seconds);
        seconds_ += std::max(0.0, seconds - far_longer * quickest_);
    }
    double seconds() const { return seconds_; }

private:
    static constexpr double far_longer = 4;
    double quickest_ = no_reading, seconds_ = 0;
};

}  // namespace hone
