// The Lua in which launch plans are written: sizes, device facts and seven functions, no library, bounded memory and
// time.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace hone::cuda {

using Json = nlohmann::json;

// The table that the plan returns, as data: a table is an object, the elements of its list "1", "2", ... Throws
// std::runtime_error ("plan.lua:3: ...").
Json evaluate_plan(const std::string& text, const Json& sizes, const Json& device);

}  // namespace hone::cuda
