#include "judge/measure.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr int first_look = 8;
constexpr double far_slower = -0.6931471805599453;  // ln(1/2)

int count_looks(int most) {
    int looks = 1;
    for (int n = first_look; n * 2 <= most; n *= 2) ++looks;
    return looks;
}

}  // namespace

Interval trimmed_interval(const std::vector<double>& values, double level) {
    const auto n = values.size(), cut = static_cast<std::size_t>(trimmed_share * static_cast<double>(n)), kept = n - 2 * cut;
    const double estimate = n ? trimmed_mean(values, trimmed_share) : 0;
    if (kept < 3) return {estimate, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    std::vector<double> winsorised = values;
    std::sort(winsorised.begin(), winsorised.end());
    for (std::size_t i = 0; i < cut; ++i) {
        winsorised[i] = winsorised[cut];
        winsorised[n - 1 - i] = winsorised[n - 1 - cut];
    }
    const double error = deviation(winsorised) / ((static_cast<double>(kept) / static_cast<double>(n)) * std::sqrt(static_cast<double>(n)));
    const double half = student_quantile(0.5 + level / 2, static_cast<double>(kept - 1)) * error;
    return {estimate, estimate - half, estimate + half};
}

bool Calm::accept(double reading) {
    if (refused_ == patience) *this = Calm();
    fastest_ = std::min(fastest_, reading);
    const bool accepted = reading <= 2 * fastest_;
    refused_ = accepted ? 0 : refused_ + 1;
    return accepted;
}

Sequential::Sequential(StopRule rule) : rule_(rule), look_level_(1 - (1 - rule.level) / count_looks(rule.most)) {}

Interval Sequential::interval() const { return trimmed_interval(values_, look_level_); }

bool Sequential::is_look() const {
    const int n = static_cast<int>(values_.size());
    for (int look = first_look; look <= n; look *= 2)
        if (look == n) return true;
    return false;
}

bool Sequential::done() const {
    if (static_cast<int>(values_.size()) >= rule_.most) return true;
    if (!is_look()) return false;
    const Interval now = interval();
    return (now.upper - now.lower) / 2 <= rule_.precision || now.upper < far_slower;
}

}  // namespace hone
