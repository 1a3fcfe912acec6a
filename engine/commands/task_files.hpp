// commands/task_files.hpp: what the commands share that take a suite or a folder of task files.
#pragma once
#include <string>
#include <vector>
#include "base/error.hpp"
#include "base/json.hpp"

namespace hone {

bool is_suite(const std::string& name);  // or a folder
// Says what is wrong with files that were left out, each cause once. Gives the exit code: 3 where there are some.
int tell_broken(const std::vector<Error>& broken);
// The document's key "broken": the same words, where there are some.
void add_broken(Json& document, const std::vector<Error>& broken);

}  // namespace hone
