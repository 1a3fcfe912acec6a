// commands/import/released.hpp: programs that others have released beside the modules they replace, as CUDA-L1 does:
// JSON lines with level_id, task_id, ref_code (a module in KernelBench's form) and custom_code (a class ModelNew).
#pragma once
#include <vector>
#include "commands/import/modules.hpp"

namespace hone {

// Writes modules/NAME.py and programs/NAME.py below `folder`, NAME as "level1_19", and returns the modules by level and
// number; a row without a program or without a class ModelNew in it has no programs/NAME.py. Throws Error(input) with
// the line that is no such row.
std::vector<ModuleFile> released_files(const fs::path& file, const fs::path& folder);

}  // namespace hone
