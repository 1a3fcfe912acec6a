#include "parts/budget.hpp"
#include <cmath>

namespace hone {
namespace {

constexpr double residue = 1e-9;  // dollars: less is what a sum of doubles leaves when all of it is taken away again

}  // namespace

double Budget::paid() const {
    const std::lock_guard lock(mutex_);
    return paid_;
}

double Budget::left() const {
    const std::lock_guard lock(mutex_);
    return cap_ - paid_ - reserved_;
}

std::optional<double> Budget::refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
}

double Budget::maybe() const {
    const std::lock_guard lock(mutex_);
    return maybe_;
}

Budget::Reserved Budget::reserve(double usd) {
    const std::lock_guard lock(mutex_);
    if (usd >= 0 && usd <= cap_ - paid_ - reserved_) {
        reserved_ += usd;
        refused_.reset();
        return Reserved::yes;
    }
    if (reserved_ > 0 && usd >= 0) return Reserved::not_now;
    refused_ = usd;
    return Reserved::never;
}

void Budget::settle(double reserved, double paid, bool maybe) {
    const std::lock_guard lock(mutex_);
    reserved_ = reserved_ - reserved < residue ? 0 : reserved_ - reserved;
    if (!(paid > 0) || !std::isfinite(paid)) return;
    paid_ += paid;
    if (maybe) maybe_ += paid;
}

}  // namespace hone
