// lint/lint_positions.hpp: rearrangements of a tensor's elements along one axis.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hone {

// For each element (row-major) the element that takes its place when index k along `axis` becomes map(k).
inline std::vector<std::size_t> along(const std::vector<std::int64_t>& shape, std::size_t axis,
                                      const std::function<std::int64_t(std::int64_t)>& map) {
    std::size_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(shape[i]);
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
    const auto n = static_cast<std::size_t>(shape[axis]);
    std::vector<std::size_t> places;
    places.reserve(outer * n * inner);
    for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < inner; ++i)
                places.push_back((o * n + static_cast<std::size_t>(map(static_cast<std::int64_t>(k)))) * inner + i);
    return places;
}

inline std::vector<double> gathered(const std::vector<double>& from, const std::vector<std::size_t>& places) {
    std::vector<double> to;
    to.reserve(places.size());
    for (const std::size_t place : places) to.push_back(from[place]);
    return to;
}

inline std::string gathered(const std::string& from, std::size_t width, const std::vector<std::size_t>& places) {
    std::string to;
    to.reserve(places.size() * width);
    for (const std::size_t place : places) to.append(from, place * width, width);
    return to;
}

}  // namespace hone
