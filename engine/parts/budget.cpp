#include "parts/budget.hpp"
#include <algorithm>
#include <cmath>

namespace hone {

bool Budget::reserve(double usd) {
    const bool fits = usd <= left();  // false for a cost that is not known
    if (fits) reserved_ += usd;
    refused_ = fits ? 0 : usd;
    return fits;
}

void Budget::settle(double reserved, double paid, bool maybe) {
    reserved_ = std::max(0.0, reserved_ - reserved);
    if (!(paid > 0) || !std::isfinite(paid)) return;
    paid_ += paid;
    if (maybe) maybe_ += paid;
}

}  // namespace hone
