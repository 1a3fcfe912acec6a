// `hone tasks [SUITE]`: which suites there are, and what is in one.
#include <cstdio>
#include "base/error.hpp"
#include "commands/command.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

Json row_of(const Task& task) {
    return {{"name", task.name()}, {"role", task.doc.at("role")}, {"spec", task.doc.at("spec")}, {"statement", task.doc.at("statement")},
            {"shape", task.doc.at("shape")}, {"hidden", task.doc.at("hidden").size()}, {"hash", task.hash()}};
}

void print_rows(const Json& rows) {
    for (const Json& row : rows)
        std::printf("%-28s %-10s %s\n", row["name"].get<std::string>().c_str(), row["role"].get<std::string>().c_str(),
                    row["statement"].get<std::string>().c_str());
}

int list_suites(bool json) {
    Json suites = Json::array();
    for (const std::string& name : suite_names()) suites.push_back({{"name", name}, {"tasks", load_suite(name).size()}});
    if (json) return std::printf("%s\n", Json{{"schema", "hone.suites/1"}, {"suites", suites}}.dump(2).c_str()), 0;
    for (const Json& suite : suites)
        std::printf("%-20s %zu tasks\n", suite["name"].get<std::string>().c_str(), suite["tasks"].get<std::size_t>());
    return 0;
}

int run(const Arguments& arguments) {
    if (!arguments.count()) return list_suites(arguments.has("--json"));
    Json rows = Json::array();
    for (const Task& task : load_suite(arguments.at(0))) rows.push_back(row_of(task));
    if (arguments.has("--json")) std::printf("%s\n", Json{{"schema", "hone.tasks/1"}, {"tasks", rows}}.dump(2).c_str());
    else print_rows(rows);
    return 0;
}

}  // namespace

Command tasks_command() {
    return {"tasks", "[SUITE]", "the suites, or the tasks of one", "", {{"--json", "", "one JSON document on stdout"}}, run};
}

}  // namespace hone
