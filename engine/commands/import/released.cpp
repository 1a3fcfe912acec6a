#include "commands/import/released.hpp"
#include <algorithm>
#include <sstream>
#include <tuple>
#include "base/error.hpp"
#include "base/json.hpp"

namespace hone {
namespace {

struct Row {
    int level, number;
    std::string module, program;
    int line;  // of the file, from 1
};

std::string text_at(const Json& row, const char* key) {
    const auto found = row.find(key);
    return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int number_at(const Json& row, const char* key) {
    const auto found = row.find(key);
    return found != row.end() && found->is_number_integer() ? found->get<int>() : 0;
}

Row row_of(const std::string& line, const std::string& place, int number) {
    constexpr const char* cure = "name a file of released programs, as CUDA-L1 has them: a JSON object a line";
    const Json row = Json::parse(line, nullptr, false);
    if (row.is_discarded()) throw Error(Blame::input, place, "is no JSON", cure);
    if (!row.is_object() || number_at(row, "level_id") < 1 || number_at(row, "task_id") < 1 ||
        text_at(row, "ref_code").empty())
        throw Error(Blame::input, place,
                    "is no released program: level_id and task_id (numbers) or ref_code (a text) is missing", cure);
    return {number_at(row, "level_id"), number_at(row, "task_id"), text_at(row, "ref_code"),
            text_at(row, "custom_code"), number};
}

std::vector<Row> rows_of(const fs::path& file) {
    std::istringstream lines(read_file(file));
    std::vector<Row> rows;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.find_first_not_of(" \r") != std::string::npos)
            rows.push_back(row_of(line, file.string() + ":" + std::to_string(number), number));
    }
    if (rows.empty()) throw Error(Blame::input, file.string(), "holds no program");
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tie(a.level, a.number) < std::tie(b.level, b.number);
    });
    return rows;
}

// A task has one file of its name.
void require_one_each(const std::vector<Row>& rows, const fs::path& file) {
    const auto twice = std::adjacent_find(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tie(a.level, a.number) == std::tie(b.level, b.number);
    });
    if (twice == rows.end()) return;
    throw Error(Blame::input, file.string() + ":" + std::to_string(std::next(twice)->line),
                "is a second program for task " + std::to_string(twice->level) + "/" + std::to_string(twice->number) +
                    ", after line " + std::to_string(twice->line),
                "keep one a task; import the others from files of their own, with another --out");
}

}  // namespace

std::vector<ModuleFile> released_files(const fs::path& file, const fs::path& folder) {
    const fs::path modules = folder / "modules", programs = folder / "programs";
    const std::vector<Row> rows = rows_of(file);
    require_one_each(rows, file);
    fs::create_directories(modules);
    fs::create_directories(programs);
    std::vector<ModuleFile> files;
    for (const Row& row : rows) {
        const std::string name = "level" + std::to_string(row.level) + "_" + std::to_string(row.number);
        write_file(modules / (name + ".py"), row.module);
        const fs::path program = programs / (name + ".py");
        if (row.program.find("class ModelNew") != std::string::npos) write_file(program, row.program);
        else fs::remove(program);  // of an earlier import
        files.push_back({modules / (name + ".py"), row.level, name, name});
    }
    return files;
}

}  // namespace hone
