// commands/import/report.hpp: what `hone import` prints: what became of each module and why, and the commands that
// follow.
#pragma once
#include "base/json.hpp"
#include "base/paths.hpp"

namespace hone {

// rows: of imported.json; folder: of the suite.
void print_import(const Json& rows, const fs::path& folder);

}  // namespace hone
