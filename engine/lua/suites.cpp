#include "lua/suites.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/options.hpp"

namespace hone {
namespace {

constexpr std::size_t most_addresses = 3;
constexpr const char* of_an_import = "imported.json";  // beside tasks with a file each, of the task's name

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(folder, unreadable))
        if (entry.is_directory(unreadable)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::string> names_in(const std::vector<fs::path>& script_folders) {
    std::vector<std::string> names;
    for (const fs::path& folder : script_folders)
        for (const fs::path& suite : folders_in(folder / "suites")) names.push_back(suite.filename().string());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

// In script folders and here.
std::vector<fs::path> imported_suites() {
    std::vector<fs::path> all;
    std::vector<fs::path> parents = {"suites", "."};
    for (const fs::path& folder : script_folders()) parents.insert(parents.begin(), folder / "suites");
    for (const fs::path& parent : parents)
        for (const fs::path& suite : folders_in(parent))
            if (fs::exists(suite / of_an_import)) all.push_back(suite.lexically_normal());
    return all;
}

std::vector<std::string> addresses_of(const std::string& task) {
    const std::string base = task.substr(0, task.find(':'));
    std::vector<std::string> found;
    for (const fs::path& suite : imported_suites()) {
        std::error_code unreadable;
        for (const auto& entry : fs::directory_iterator(suite, unreadable)) {
            const std::string stem = entry.path().stem();
            if (entry.path().extension() == ".lua" && (stem == base || stem.ends_with("_" + base)))
                found.push_back(suite_address(suite) + "/" + stem);
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace

std::vector<std::string> suite_names() { return names_in(script_folders()); }

fs::path find_suite(const std::vector<fs::path>& script_folders, const std::string& name) {
    if (fs::is_directory(name)) return name;
    std::string looked = (fs::path(name).is_absolute() ? "" : "./") + name;
    for (const fs::path& folder : script_folders) {
        if (fs::is_directory(folder / "suites" / name)) return folder / "suites" / name;
        if (fs::path(name).is_relative()) looked += ", " + (folder / "suites" / name).string();
    }
    const std::string place = "suite \"" + name + "\"", cause = "there is none of that name";
    if (const fs::path here = fs::path("suites") / name; fs::is_directory(here))
        throw Error(Blame::input, place, cause, "write " + here.string());
    throw Error(Blame::input, place, cause,
                choose(name, names_in(script_folders), "suites") + "; no folder " + looked +
                    "; a suite elsewhere is named by its folder");
}

std::string suite_address(const fs::path& folder) {
    std::error_code missing;
    for (const fs::path& scripts : script_folders())
        if (fs::equivalent(scripts / "suites", folder / "..", missing)) return fs::canonical(folder).filename();
    const std::string path = folder.lexically_normal();
    return path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

std::string task_cure(const std::string& task, const std::string& otherwise) {
    const std::vector<std::string> addresses = addresses_of(task);
    if (addresses.empty()) return otherwise;
    std::string list;
    for (std::size_t i = 0; i < std::min(addresses.size(), most_addresses); ++i)
        list += (list.empty() ? "" : " or ") + addresses[i];
    return "write " + list;
}

}  // namespace hone
