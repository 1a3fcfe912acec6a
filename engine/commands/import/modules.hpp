// commands/import/modules.hpp: which modules an import takes, and the name of the task that each becomes.
#pragma once
#include <string>
#include <vector>
#include "base/paths.hpp"

namespace hone {

struct ModuleFile {
    fs::path path;
    int level = 0;      // of the benchmark; 0: of none
    std::string name;   // of the task: "level1_19_ReLU"
    std::string shown;  // "level1/19_ReLU.py"
};

ModuleFile module_file(const fs::path&);  // a single one
// Every level*/*.py of a folder (or of KernelBench/ in it), by level and number. Throws Error(input) where there is
// none.
std::vector<ModuleFile> benchmark_files(const fs::path& folder);
// Those of one of the levels (empty: all) and of one of the names (likewise): a task's name, its file's, or its number
// with the level, "1/19". Throws Error(usage) with a suggestion for what names nothing.
std::vector<ModuleFile> choose_modules(std::vector<ModuleFile>, const std::vector<std::string>& levels,
                                       const std::vector<std::string>& names);

}  // namespace hone
