// judge/call/readings.hpp: what the readings of one judging, taken together, tell of their timer: whether a clock can
// have given them, and how many it discarded.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include "hone/timer.h"

namespace hone {

struct Meter {  // what a timer has said of itself
    std::string unit;
    double resolution = 0;    // in the unit; 0: not told
    bool is_virtual = false;  // its time is not this machine's
    bool on_host = false;     // it times code on this machine's cores
    double parallel = 1;      // threads that a clock of processor time may add up
};

struct RunTimes {  // of one run, by the bench's own clock
    double calls;  // seconds from the first launch until the last call had ended
    double whole;  // seconds that the timer had
    bool reference;
};

class Readings {
public:
    void begin(Meter meter) { *this = {}, meter_ = std::move(meter); }
    void begin_judging() { begin(std::move(meter_)); }
    // What is wrong with a reading that no clock can give, or with all readings so far; "": nothing.
    std::string add(const hone_sample&, const RunTimes&);
    // "discarded 64 of 128 readings" where that is half of them or more, else "".
    std::string discards() const;

private:
    std::string too_long(double value, const RunTimes&) const;
    std::string too_short(double value, const RunTimes&);
    std::string repeated(double value);

    Meter meter_;
    std::size_t readings_ = 0, discarded_ = 0, of_reference_ = 0;
    double largest_share_ = 0;  // that a reading of the reference had of the bench's time
    std::map<double, std::size_t> seen_;
    std::size_t kept_ = 0;
};

}  // namespace hone
