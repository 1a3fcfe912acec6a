// parts/shaper.hpp: one instance of a shaper part.
#pragma once
#include <string>
#include <vector>
#include "parts/handle.hpp"

namespace hone {

struct Reward {
    double value;  // NaN: leave it out
    std::string reason;
};

// Of what a shaper part filled in. Throws Error(input) at an infinite reward, and at a reason that is null or no UTF-8.
// place: `shaper "x": shape`.
std::vector<Reward> rewards_of(const std::vector<double>& values, const Json& reasons, const std::string& place);

class Shaper {
public:
    explicit Shaper(const Recipe& recipe) : handle_(recipe) {}
    std::vector<Reward> shape(const std::vector<Json>& judgements);  // scorable ones, of one prompt
    const Recipe& recipe() const { return handle_.recipe(); }

private:
    void tell_unwritten(const std::vector<double>& values);

    Handle handle_;
    bool told_unwritten_ = false;
};

}  // namespace hone
