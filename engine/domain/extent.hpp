// domain/extent.hpp: one entry of a tensor's shape: a number, or a size with a factor and a summand ("R", "H+2",
// "2*R-1").
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include "domain/task.hpp"

namespace hone {

struct Extent {
    std::int64_t factor = 0;
    std::string size;  // empty: a number
    std::int64_t summand = 0;
    std::int64_t at(const Shape& shape) const { return summand + (size.empty() ? 0 : factor * shape.at(size)); }
};

std::optional<Extent> parse_extent(const Json& entry);  // nullopt: not of that form

bool is_identifier(const std::string& name);  // the name of a C variable

}  // namespace hone
