// run/pace.hpp: how long a stage that counts its steps will still take, by the steps of this process.
#pragma once
#include <optional>

namespace hone {

class Pace {
public:
    // Seconds left when `done` of `of` steps are done at `now` (seconds of any clock). Nothing at the first step that
    // is told, and where the count begins again.
    std::optional<double> left(double now, double done, double of);

private:
    std::optional<double> begun_;
    double first_ = 0;  // count at that time
};

}  // namespace hone
