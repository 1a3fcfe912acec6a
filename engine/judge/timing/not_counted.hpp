// judge/timing/not_counted.hpp: what a measurement does besides timing.
#pragma once
#include "base/process.hpp"

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

}  // namespace hone
