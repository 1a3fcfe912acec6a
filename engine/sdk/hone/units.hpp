// hone/units.hpp: units of timers that have words of their own.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace hone {

// What is compared where a timer reads this unit: "time" of "s"; "" of a unit that hone does not know.
inline std::string_view what_it_costs(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> known = {
        {{"s", "time"}, {"J", "energy"}, {"cycle", "cycles"}, {"instruction", "instructions"}}};
    for (const auto& [name, what] : known)
        if (name == unit) return what;
    return "";
}
// "parsecs", and "cycles" where the timer itself says so; "mJ"
inline std::string in_plural(const std::string& unit) {
    return unit + (unit.size() < 3 || unit.ends_with('s') ? "" : "s");
}
// "time", "energy", or "cost in parsecs"
inline std::string cost_in_words(const std::string& unit) {
    const std::string_view what = what_it_costs(unit);
    return what.empty() ? "cost in " + in_plural(unit) : std::string(what);
}

}  // namespace hone
