// commands/import/record.hpp: imported.json beside the tasks of an import: what became of each module, with the reason.
#pragma once
#include <map>
#include <string>
#include "base/json.hpp"
#include "base/paths.hpp"

namespace hone {

class ImportRecord {
public:
    static constexpr const char *schema = "hone.imported/1", *file_name = "imported.json";
    // Of an earlier import into the same folder, if there was one. Throws Error(input) where the file is something
    // else.
    explicit ImportRecord(fs::path folder);
    // Whether a module was imported by the same program from the same source: its key is the same, and its task file,
    // if it has one, is there.
    bool holds(const std::string& name, const std::string& key) const;
    const Json& row(const std::string& name) const { return rows_.at(name); }
    // Throws Error(usage) where the folder has a task of that name, made of another file that is still there.
    void require_same_file(const std::string& name, const fs::path& file) const;
    std::size_t refused() const;  // modules that are no tasks
    // {name, level, file, path, status, reason, ...}; kept at once, so that an interrupted import goes on.
    void put(const Json& row);
    fs::path task_file(const std::string& name) const { return folder_ / (name + ".lua"); }
    // Python's traceback of the exception behind a refusal
    fs::path trace_file(const std::string& name) const { return folder_ / (name + ".traceback.txt"); }

private:
    fs::path folder_;
    std::map<std::string, Json> rows_;
};

}  // namespace hone
