// store/runs.hpp: the runs of a working folder: runs/NAME/journal.sqlite.
#pragma once
#include <string>
#include <vector>
#include "base/paths.hpp"

namespace hone {

std::vector<std::string> list_runs();  // names below runs/, oldest first
// A run's folder, by folder or by name. Throws Error(input) with the nearest name.
fs::path find_run(const std::string& folder_or_name);

}  // namespace hone
