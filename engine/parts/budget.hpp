// parts/budget.hpp: money of a run: a cap that no two requests can exceed together, and what was spent.
#pragma once
#include <limits>
#include <utility>

namespace hone {

class Budget {
public:
    void cap(double usd) { cap_ = usd; }
    void paid_before(double usd) { paid_ += usd; }  // by what the journal holds
    double cap() const { return cap_; }             // infinity: none
    double paid() const { return paid_; }
    double left() const { return cap_ - paid_ - reserved_; }
    // False where what was paid, what is reserved and usd would exceed the cap; nothing is reserved then.
    bool reserve(double usd);
    // maybe: a request was cut off after it was sent. It may have been billed, and counts as if it was.
    void settle(double reserved, double paid, bool maybe);
    // What the last reservation could have cost, where it was refused; 0: it was not.
    double refused() const { return refused_; }
    double take_maybe() { return std::exchange(maybe_, 0); }  // of such requests, since the last time: for the journal

private:
    double cap_ = std::numeric_limits<double>::infinity(), paid_ = 0, reserved_ = 0, refused_ = 0, maybe_ = 0;
};

}  // namespace hone
