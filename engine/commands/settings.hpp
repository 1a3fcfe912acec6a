// commands/settings.hpp: `--set part.option=value` of the commands that make parts outside a script.
#pragma once
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone {

// {"verifier": {"threads": "1"}, "judge": {"precision": "0.01"}}: every value is text. Throws Error(usage).
Json parse_settings(const std::vector<std::string>& assignments, const std::vector<std::string>& parts);

// The texts given to a part, each read in the kind of its option. Throws Error(input) where there is no such part.
Json in_kinds_of(const std::string& interface_name, const std::string& id, const Json& texts);

}  // namespace hone
