// domain/extent.hpp: one entry of a tensor's shape: a number, or a size with a factor and a summand ("R", "H+2",
// "2*R-1").
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace hone {

using Shape = std::map<std::string, std::int64_t>;

struct Extent {
    std::int64_t factor = 0;
    std::string size;  // empty: a number
    std::int64_t summand = 0;
    std::int64_t at(const Shape& shape) const { return summand + (size.empty() ? 0 : factor * shape.at(size)); }
    std::string text() const;  // as it is written

    static constexpr const char *notation = "integer|string",
                                *expected =
                                    "neither a positive whole number nor a size such as \"R\", \"H+2\" or "
                                    "\"2*R-1\"";
    static std::optional<Extent> from_json(const nlohmann::json&);  // nullopt: not of that form
    nlohmann::json to_json() const;
};

bool is_identifier(const std::string& name);  // the name of a C variable

}  // namespace hone
