#include "commands/import/modules.hpp"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include "base/error.hpp"
#include "base/options.hpp"

namespace hone {
namespace {

// Letters and digits with one "_" between them: what a task may be called.
std::string task_name(const std::string& text) {
    std::string name;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c))) name += c;
        else if (!name.empty() && name.back() != '_') name += '_';
    }
    while (name.ends_with('_')) name.pop_back();
    return name.empty() ? "module" : name;
}

// "19_ReLU.py", "level1_19.py"
int number_of(const ModuleFile& file) {
    const std::string stem = file.path.stem(), level = "level" + std::to_string(file.level) + "_";
    return std::atoi(stem.c_str() + (stem.starts_with(level) ? level.size() : 0));
}

bool answers_to(const ModuleFile& file, const std::string& name) {
    return name == file.name || name == file.path.stem() || name == file.path.filename() ||
           name == std::to_string(file.level) + "/" + std::to_string(number_of(file));
}

void require_known(const std::vector<ModuleFile>& files, const std::string& name) {
    std::vector<std::string> names;
    for (const ModuleFile& file : files) names.push_back(file.name);
    if (std::none_of(files.begin(), files.end(), [&](const ModuleFile& file) { return answers_to(file, name); }))
        throw Error(Blame::usage, "import", "--only: no task \"" + name + "\"" + suggestion(name, names),
                    "names are like \"" + names.front() + "\" or \"1/19\" (level and number)");
}

template <class Fits> void keep(std::vector<ModuleFile>& files, Fits&& fits) {
    std::erase_if(files, [&](const ModuleFile& file) { return !fits(file); });
}

}  // namespace

ModuleFile module_file(const fs::path& path) {
    if (!fs::is_regular_file(path))
        throw Error(Blame::input, path.string(), "is no file", "name a file that has a class Model");
    return {path, 0, task_name(path.stem()), path.filename()};
}

std::vector<ModuleFile> benchmark_files(const fs::path& folder) {
    const fs::path below = folder / "KernelBench", root = fs::is_directory(below / "level1") ? below : folder;
    std::vector<ModuleFile> files;
    for (int level = 1; level <= 9; ++level) {
        const std::string word = "level" + std::to_string(level);
        if (!fs::is_directory(root / word)) continue;
        for (const auto& entry : fs::directory_iterator(root / word))
            if (entry.path().extension() == ".py")
                files.push_back({entry.path(), level, word + "_" + task_name(entry.path().stem()),
                                 word + "/" + entry.path().filename().string()});
    }
    if (files.empty())
        throw Error(Blame::input, folder.string(), fs::is_directory(folder) ? "holds no level1/*.py" : "is no folder",
                    "name a folder of KernelBench, or `hone import module FILE`");
    std::sort(files.begin(), files.end(), [](const ModuleFile& a, const ModuleFile& b) {
        return std::tuple(a.level, number_of(a), a.name) < std::tuple(b.level, number_of(b), b.name);
    });
    return files;
}

std::vector<ModuleFile> choose_modules(std::vector<ModuleFile> files, const std::vector<std::string>& levels,
                                       const std::vector<std::string>& names) {
    for (const std::string& level : levels)
        if (std::none_of(files.begin(), files.end(),
                         [&](const ModuleFile& file) { return std::to_string(file.level) == level; }))
            throw Error(Blame::usage, "import", "--level: there is no level \"" + level + "\"");
    for (const std::string& name : names) require_known(files, name);
    keep(files, [&](const ModuleFile& file) {
        return levels.empty() || std::find(levels.begin(), levels.end(), std::to_string(file.level)) != levels.end();
    });
    keep(files, [&](const ModuleFile& file) {
        return names.empty() ||
               std::any_of(names.begin(), names.end(), [&](const std::string& name) { return answers_to(file, name); });
    });
    if (files.empty()) throw Error(Blame::usage, "import", "no task is of that level and of that name");
    return files;
}

}  // namespace hone
