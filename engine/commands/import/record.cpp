#include "commands/import/record.hpp"
#include <algorithm>
#include "base/error.hpp"

namespace hone {

ImportRecord::ImportRecord(fs::path folder) : folder_(std::move(folder)) {
    const fs::path file = folder_ / file_name;
    if (!fs::exists(file)) return;
    const Json doc = Json::parse(read_file(file), nullptr, false);
    if (!doc.is_object() || doc.value("schema", "") != schema || !doc.contains("tasks"))
        throw Error(Blame::input, file.string(), std::string("is no record of an import (") + schema + ")",
                    "move it away, or import into another folder: --out DIR");
    for (const Json& row : doc["tasks"]) rows_[row.at("name").get<std::string>()] = row;
}

bool ImportRecord::holds(const std::string& name, const std::string& key) const {
    const auto found = rows_.find(name);
    return found != rows_.end() && found->second.value("key", "") == key &&
           found->second.at("status") != "unchecked" &&  // there may be more memory now
           (found->second.at("status") == "refused" || fs::exists(task_file(name)));
}

void ImportRecord::require_same_file(const std::string& name, const fs::path& file) const {
    const auto found = rows_.find(name);
    const std::string path = found == rows_.end() ? "" : found->second.value("path", "");
    if (!path.empty() && path != file && fs::exists(path) && fs::exists(task_file(name)))
        throw Error(
            Blame::usage, "import", folder_.string() + " holds a task \"" + name + "\" of another file, " + path,
            "rename one of the files, import into another folder (--out DIR), or remove " + task_file(name).string());
}

std::size_t ImportRecord::refused() const {
    return static_cast<std::size_t>(std::count_if(
        rows_.begin(), rows_.end(), [](const auto& one) { return one.second.at("status") == "refused"; }));
}

void ImportRecord::put(const Json& row) {
    rows_[row.at("name").get<std::string>()] = row;
    Json tasks = Json::array();
    for (const auto& [name, one] : rows_) tasks.push_back(one);
    write_file(folder_ / file_name, Json{{"schema", schema}, {"tasks", tasks}}.dump(1) + "\n");
}

}  // namespace hone
