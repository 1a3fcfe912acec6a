// base/secrets.hpp: which variables of the environment hold keys. Processes that judge do not need them.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace hone {

// Of the entries "NAME=value" those whose names neither end in _KEY, _TOKEN or _SECRET nor are among `named`.
std::vector<std::string> without_secrets(const std::vector<std::string>& entries, const std::set<std::string>& named);
// Values of key_env in hone.toml. Throws Error(input) if the file cannot be read: a key may be missed then.
std::set<std::string> named_secrets();

}  // namespace hone
