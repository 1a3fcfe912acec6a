#include "run/pace.hpp"

namespace hone {

std::optional<double> Pace::left(double now, double done, double of) {
    if (!begun_ || done <= first_) {
        begun_ = now, first_ = done;
        return std::nullopt;
    }
    return (of - done) * (now - *begun_) / (done - first_);
}

}  // namespace hone
