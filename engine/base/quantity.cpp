#include "base/quantity.hpp"
#include <cmath>
#include <cstdio>
#include <map>

namespace hone {

std::string engineering(double value, const std::string& unit) {
    static constexpr struct {
        double factor;
        const char* prefix;
    } scales[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    const bool word = unit.size() > 2, seconds = unit == "s";
    char text[64];
    for (const auto& scale : scales) {
        const bool skipped = (seconds && scale.factor > 1) || (word && scale.factor < 1);
        const bool last = scale.factor == (word ? 1 : 1e-9);
        if (skipped || (std::fabs(value) < scale.factor && !last)) continue;
        const char* const blank = word && *scale.prefix ? " " : "";
        std::snprintf(text, sizeof text, "%.3g %s%s%s%s", value / scale.factor, scale.prefix, blank, unit.c_str(),
                      word && value != 1 ? "s" : "");
        break;
    }
    return text;
}

CostWords cost_words(const std::string& unit) {
    static const std::map<std::string, std::string> known = {
        {"s", "time"}, {"J", "energy"}, {"cycle", "cycles"}, {"instruction", "instructions"}};
    const auto found = known.find(unit);
    const std::string what = found == known.end() ? "" : found->second;
    return unit == "s" ? CostWords{what, "faster", "slower"} : CostWords{what, "less", "more"};
}

}  // namespace hone
