#include "parts/budget.hpp"
#include <algorithm>
#include <cmath>
#include <utility>

namespace hone {

double Budget::paid() const {
    const std::lock_guard lock(mutex_);
    return paid_;
}

double Budget::left() const {
    const std::lock_guard lock(mutex_);
    return cap_ - paid_ - reserved_;
}

double Budget::refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
}

double Budget::take_maybe() {
    const std::lock_guard lock(mutex_);
    return std::exchange(maybe_, 0);
}

bool Budget::reserve(double usd) {
    const std::lock_guard lock(mutex_);
    const bool fits = usd <= cap_ - paid_ - reserved_;  // false for a cost that is not known
    if (fits) reserved_ += usd;
    refused_ = fits ? 0 : usd;
    return fits;
}

void Budget::settle(double reserved, double paid, bool maybe) {
    const std::lock_guard lock(mutex_);
    reserved_ = std::max(0.0, reserved_ - reserved);
    if (!(paid > 0) || !std::isfinite(paid)) return;
    paid_ += paid;
    if (maybe) maybe_ += paid;
}

}  // namespace hone
