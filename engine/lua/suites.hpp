// lua/suites.hpp: where suites lie, and what is said of a name that none of them answers to.
#pragma once
#include <string>
#include <vector>
#include "base/paths.hpp"

namespace hone {

// Of every script folder, in order.
std::vector<std::string> suite_names();
// The folder `name`, or suites/NAME in one of these. Throws Error(input) that tells where it looked and what to write.
fs::path find_suite(const std::vector<fs::path>& script_folders, const std::string& name);
// As a command takes it: the name of a suite in a script folder, else the folder's path.
std::string suite_address(const fs::path& folder);
// What to write for a task that is not where it was looked for: the address of an imported one of that name, or whose
// name ends with it, in a script folder or here; else how addresses are written.
std::string task_cure(
    const std::string& task,
    const std::string& otherwise = "a task is SUITE/NAME or FOLDER/NAME; `hone tasks` lists the suites");

}  // namespace hone
