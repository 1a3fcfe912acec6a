#include "commands/task_files.hpp"
#include <algorithm>
#include <filesystem>
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "lua/suites.hpp"
#include "lua/task_file.hpp"

namespace hone {

bool is_suite(const std::string& name) {
    const std::vector<std::string> suites = suite_names();
    return std::find(suites.begin(), suites.end(), name) != suites.end() || std::filesystem::is_directory(name);
}

int tell_broken(const std::vector<Error>& broken) {
    for (const Error& error : broken) Progress::warn(std::string("hone: left out: ") + error.what());
    return broken.empty() ? 0 : static_cast<int>(Blame::input);
}

void add_broken(Json& document, const std::vector<Error>& broken) {
    for (const Error& error : broken) document["broken"].push_back(error.what());
}

}  // namespace hone
