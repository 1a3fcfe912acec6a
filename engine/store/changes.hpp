// store/changes.hpp: what differs between a run as it was recorded and the one that goes on with it, in words.
#pragma once
#include <optional>
#include <set>
#include <string>
#include "base/json.hpp"

namespace hone {

struct RunInfo;

// "steps=6 (was 2), lr=0.1 (was not set)"; "" where both say the same.
std::string changed_settings(const Json& then, const Json& now);

// `: 0.1, now 0.2`; of texts of several lines the first that differs: `, line 4: "a", now "b"`; "" of what is too long.
std::string was_and_is(const Json& was, const Json& is);

// Of two documents the first key that differs, "options.model"; none: they are equal.
std::optional<std::string> first_difference(const Json& recorded, const Json& now);

// Of two keys of an operation: `another value of "lr": 0.1, now 0.2`; a value that is a hash is told by what it is of.
std::string another_argument(const Json& recorded, const Json& now, const std::string& name);

// What the author can undo: "since then the settings changed: lr=0.2 (was 0.1)". modules: files that changed.
std::string changed_since(const RunInfo& then, const RunInfo& now, const std::set<std::string>& modules);

}  // namespace hone
