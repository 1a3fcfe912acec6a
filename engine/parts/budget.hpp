// parts/budget.hpp: money of a run: a cap that no two requests can exceed together, and what was spent.
#pragma once
#include <limits>
#include <mutex>
#include <optional>

namespace hone {

class Budget {  // any thread: policies that work elsewhere each have their own
public:
    void cap(double usd) { cap_ = usd; }  // before the first policy asks
    // By what the journal holds; likewise.
    void paid_before(double usd, double maybe) { paid_ = usd, maybe_ = maybe; }
    double cap() const { return cap_; }  // infinity: none
    double paid() const;                 // in all
    double maybe() const;                // of that, for requests that may have been billed
    double left() const;
    // not_now: reservations that are held leave too little, and may be settled for less. never: nothing is held, and
    // usd exceeds what is left, or is no amount.
    enum class Reserved { yes, not_now, never };
    Reserved reserve(double usd);
    // maybe: a request was cut off after it was sent. It may have been billed, and counts as if it was.
    void settle(double reserved, double paid, bool maybe);
    // What a reservation that was refused for ever could have cost; nullopt: none was, or one was granted since.
    std::optional<double> refused() const;

private:
    mutable std::mutex mutex_;  // of all below
    double cap_ = std::numeric_limits<double>::infinity(), paid_ = 0, reserved_ = 0, maybe_ = 0;
    std::optional<double> refused_;
};

}  // namespace hone
