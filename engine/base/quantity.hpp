// base/quantity.hpp: numbers with their unit, for people.
#pragma once
#include <string>

namespace hone {

// "12.5", "1e+30", "inf"; "nan" whatever its sign. As text for people: six digits.
std::string plain_number(double);
std::string dollars(double usd);  // "$0.42"; below a cent with two digits that say something: "$0.0042"

// "12.5 us", "3.4 mJ", "1.25 M cycles"; 1 is "1 cycle". Units of one or two letters take the prefix, words the plural.
std::string engineering(double value, const std::string& unit, int digits = 3);

std::string duration_text(double seconds);  // "0.8 s", "45 s", "3 min 05 s", "2 h 10 min"

// How a ratio of costs in a unit is told.
struct CostWords {
    std::string what;        // is compared: "time", "energy", "cycles"; "" of a unit that hone does not know
    std::string less, more;  // outcome of a candidate that costs less, or more: "faster", "slower"; "less", "more"
};
CostWords cost_words(const std::string& unit);

// A speed-up with its interval: "2.1x [2, 2.2]"; in another unit than seconds the ratio of the costs, its inverse:
// "0.476x [0.455, 0.5] in energy". Three decimals.
std::string ratio_text(const std::string& unit, double estimate, double lower, double upper);

// Three digits of a ratio, and more where these would say 1 and it is not: on which side of 1 it lies is what is told.
std::string ratio_digits(double ratio);

}  // namespace hone
