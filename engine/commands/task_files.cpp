#include "commands/task_files.hpp"
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "lua/suites.hpp"
#include "lua/task_file.hpp"

namespace hone {

bool is_suite(const std::string& name) {
    const std::vector<std::string> suites = suite_names();
    return std::find(suites.begin(), suites.end(), name) != suites.end() || std::filesystem::is_directory(name);
}

namespace {

// What is wrong, without the file and the task in which it is: `a.lua: task "a": shapes: ...`.
std::string cause_of(const Error& error) {
    std::string text = error.what();
    for (std::size_t at; (at = text.find(": ")) != std::string::npos;) {
        text.erase(0, at + 2);
        if (!text.starts_with("task \"")) break;
    }
    return text;
}

}  // namespace

int tell_broken(const std::vector<Error>& broken) {
    std::map<std::string, std::size_t> alike;
    for (const Error& error : broken) ++alike[cause_of(error)];
    for (const Error& error : broken) {
        const std::size_t count = std::exchange(alike[cause_of(error)], 0);
        const std::string more = count > 1 ? "; and " + std::to_string(count - 1) + " more for the same cause" : "";
        if (count) Progress::warn(std::string("hone: left out: ") + error.what() + more);
    }
    return broken.empty() ? 0 : static_cast<int>(Blame::input);
}

void add_broken(Json& document, const std::vector<Error>& broken) {
    for (const Error& error : broken) document["broken"].push_back(error.what());
}

}  // namespace hone
