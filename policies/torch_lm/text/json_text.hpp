// json_text.hpp: JSON from foreign files.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace hone::lm {

// Throws Refused (place: the file) for what is not JSON, or nests so deep that copying or printing it, which recurse,
// could exhaust the stack.
nlohmann::json parse_json(std::string_view text, const std::string& place);

}  // namespace hone::lm
