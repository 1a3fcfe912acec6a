// timing.hpp: seconds of what a benchmark runs.
#pragma once
#include <algorithm>
#include <chrono>
#include <limits>

namespace hone::bench {

template <class Body> double seconds_of(const Body& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What else runs on the machine only adds.
template <class Body> double best_of(int repeats, const Body& body) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeats; ++i) best = std::min(best, seconds_of(body));
    return best;
}

}  // namespace hone::bench
