// base/json.hpp: the engine's tree of plain values. Objects keep their keys sorted, so equal trees print alike and hash
// alike.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace hone {

using Json = nlohmann::json;

// The value at a dotted path ("speedup.lower", "inputs.0.name"), or null if any step is absent.
const Json* find_path(const Json& root, const std::string& path);

}  // namespace hone
