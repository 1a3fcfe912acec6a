// base/stats.hpp: the few statistics the judge and the reports use.
#pragma once
#include <limits>
#include <span>
#include <vector>

namespace hone {

constexpr double no_reading = std::numeric_limits<double>::infinity();  // the least of no readings

struct Interval {
    double estimate, lower, upper;
};

double mean(std::span<const double>);
double deviation(std::span<const double>);               // sample standard deviation; 0 for fewer than two
double quantile(std::vector<double>, double p);          // linear between order statistics
double trimmed_mean(std::vector<double>, double share);  // share cut off at each end
// Mean with a two-sided Student interval. For fewer than two values lower and upper are -inf and +inf.
Interval mean_interval(std::span<const double>, double level);
double student_quantile(double p, double degrees);  // inverse of Student's distribution function

}  // namespace hone
