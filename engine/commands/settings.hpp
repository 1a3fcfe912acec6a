// commands/settings.hpp: `--set part.option=value` of the commands that make parts outside a script.
#pragma once
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone {

// {"verifier": {"threads": 1}, "judge": {"precision": 0.01}}: values are JSON where they can be read as such, else
// text. Throws Error(usage).
Json parse_settings(const std::vector<std::string>& assignments, const std::vector<std::string>& parts);

}  // namespace hone
