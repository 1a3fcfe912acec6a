#include "base/quantity.hpp"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "hone/units.hpp"

namespace hone {

std::string plain_number(double value) {
    constexpr double most_whole = 1e15;  // beyond it not every digit is meant
    const bool whole = std::fabs(value) < most_whole && value == std::floor(value);
    char text[32];
    std::snprintf(text, sizeof text, whole ? "%.0f" : "%g", std::isnan(value) ? std::fabs(value) : value);
    return text;
}

std::string dollars(double usd) {
    char text[48];
    std::snprintf(text, sizeof text, usd >= 0.01 || usd == 0 ? "$%.2f" : "$%.2g", usd);
    return text;
}

std::string duration_text(double seconds) {
    char text[48];
    if (seconds < 60) {
        std::snprintf(text, sizeof text, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
        return text;
    }
    const long whole = std::lround(seconds), large = seconds < 3600 ? 60 : 3600;
    std::snprintf(text, sizeof text, large == 60 ? "%ld min %02ld s" : "%ld h %02ld min", whole / large,
                  whole % large / (large / 60));
    return text;
}

std::string engineering(double value, const std::string& unit, int digits) {
    static constexpr struct {
        double factor;
        const char* prefix;
    } scales[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    const bool word = unit.size() > 1, seconds = unit == "s";  // "mJ" has its prefix
    char text[64];
    for (const auto& scale : scales) {
        const bool skipped = (seconds && scale.factor > 1) || (word && scale.factor < 1);
        const bool last = scale.factor == (word ? 1 : 1e-9);
        if (skipped || (std::fabs(value) < scale.factor && !last)) continue;
        const char* const blank = word && *scale.prefix ? " " : "";
        std::snprintf(text, sizeof text, "%.*g %s%s%s", digits, value / scale.factor, scale.prefix, blank,
                      (value == 1 ? unit : in_plural(unit)).c_str());
        break;
    }
    return text;
}

CostWords cost_words(const std::string& unit) {
    const std::string what(what_it_costs(unit));
    return unit == "s" ? CostWords{what, "faster", "slower"} : CostWords{what, "less", "more"};
}

std::string ratio_text(const std::string& unit, double estimate, double lower, double upper) {
    const std::string what = cost_words(unit).what;
    char text[128];
    if (unit == "s") std::snprintf(text, sizeof text, "%.3fx [%.3f, %.3f]", estimate, lower, upper);
    else
        std::snprintf(text, sizeof text, "%.3fx [%.3f, %.3f] in %s", 1 / estimate, 1 / upper, 1 / lower,
                      what.empty() ? in_plural(unit).c_str() : what.c_str());
    return text;
}

std::string ratio_digits(double ratio) {
    char text[32];
    for (int digits = 3; digits <= 6; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, ratio);
        if (ratio == 1 || std::strtod(text, nullptr) != 1) break;
    }
    return text;
}

}  // namespace hone
