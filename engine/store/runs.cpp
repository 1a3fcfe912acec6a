#include "store/runs.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/options.hpp"
#include "store/journal_state.hpp"

namespace hone {

std::vector<std::string> list_runs() {
    std::vector<std::pair<fs::file_time_type, std::string>> found;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator("runs", code))
        if (fs::exists(journal_file(entry.path())))
            found.emplace_back(fs::last_write_time(journal_file(entry.path()), code), entry.path().filename().string());
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (auto& [when, name] : found) names.push_back(std::move(name));
    return names;
}

fs::path find_run(const std::string& folder_or_name) {
    if (fs::exists(journal_file(folder_or_name))) return folder_or_name;
    const fs::path named = fs::path("runs") / folder_or_name;
    if (fs::exists(journal_file(named))) return named;
    const std::vector<std::string> names = list_runs();
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    throw Error(Blame::input, folder_or_name,
                "no run of this name, and no folder that holds one" + suggestion(folder_or_name, names),
                known.empty() ? "runs/ holds none: start one with hone run SCRIPT" : "runs here: " + known);
}

}  // namespace hone
