#include "base/stats.hpp"
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone {

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(std::span<const double> values) {
    if (values.size() < 2) return 0;
    const double centre = mean(values);
    double sum = 0;
    for (const double value : values) sum += (value - centre) * (value - centre);
    return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double quantile(std::vector<double> values, double p) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::sort(values.begin(), values.end());
    const double rank = std::clamp(p, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const std::size_t below = static_cast<std::size_t>(rank), above = std::min(below + 1, values.size() - 1);
    return values[below] + (rank - static_cast<double>(below)) * (values[above] - values[below]);
}

double trimmed_mean(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const std::size_t cut =
        std::min(static_cast<std::size_t>(share * static_cast<double>(values.size())), (values.size() - 1) / 2);
    return mean(std::span(values).subspan(cut, values.size() - 2 * cut));
}

Interval mean_interval(std::span<const double> values, double level) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double centre = mean(values), n = static_cast<double>(values.size());
    if (values.size() < 2) return {centre, -infinity, infinity};
    const double half = student_quantile(0.5 + level / 2, n - 1) * deviation(values) / std::sqrt(n);
    return {centre, centre - half, centre + half};
}

double student_quantile(double p, double degrees) { return boost::math::quantile(boost::math::students_t(degrees), p); }

}  // namespace hone
