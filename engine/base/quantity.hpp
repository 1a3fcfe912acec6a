// base/quantity.hpp: numbers with their unit, for people.
#pragma once
#include <string>

namespace hone {

// "12.5 us", "3.4 mJ", "1.25 M cycles"; 1 is "1 cycle". Units of one or two letters take the prefix, words the plural.
std::string engineering(double value, const std::string& unit);

// How a ratio of costs in a unit is told.
struct CostWords {
    std::string what;        // is compared: "time", "energy", "cycles"; "" of a unit that hone does not know
    std::string less, more;  // outcome of a candidate that costs less, or more: "faster", "slower"; "less", "more"
};
CostWords cost_words(const std::string& unit);

}  // namespace hone
