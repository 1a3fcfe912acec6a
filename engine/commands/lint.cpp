// `hone lint`: is a task worth judging anybody by? Trivial programs must not pass it (lint/lint.hpp).
#include "lint/lint.hpp"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/judging.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

bool is_suite(const std::string& name) {
    const std::vector<std::string> suites = suite_names();
    return std::find(suites.begin(), suites.end(), name) != suites.end() || std::filesystem::is_directory(name);
}

std::vector<Task> tasks_of(const std::string& name) {
    if (is_suite(name)) return load_suite(name);
    if (name.ends_with(".lua")) return load_task_file(name);
    const bool task = name.find('/') != std::string::npos || !task_file_of(name).empty();
    return task ? std::vector<Task>{load_task(name)} : load_suite(name);
}

std::vector<Task> tasks_of(const Arguments& arguments) {
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < arguments.count(); ++i) {
        const std::string& name = arguments.at(i);
        for (Task& one : tasks_of(name)) tasks.push_back(std::move(one));
    }
    return tasks;
}

Json row_of(const Task& task, const LintResult& result) {
    return {{"task", (task.suite.empty() ? "" : task.suite + "/") + task.name()},
            {"accepted", result.reasons.empty()},
            {"reasons", result.reasons},
            {"notes", result.notes}};
}

void print_rows(const Json& rows) {
    std::size_t refused = 0;
    for (const Json& row : rows) {
        refused += !row.at("accepted");
        if (row.at("accepted") && row.at("notes").empty()) continue;
        std::printf("%s  %s\n", row.at("accepted") ? "  " : "!!", row.at("task").get<std::string>().c_str());
        for (const Json& reason : row.at("reasons")) std::printf("      %s\n", reason.get<std::string>().c_str());
        for (const Json& note : row.at("notes")) std::printf("      note: %s\n", note.get<std::string>().c_str());
    }
    std::printf("%zu of %zu tasks accepted\n", rows.size() - refused, rows.size());
}

int run(const Arguments& arguments) {
    const std::vector<Task> tasks = tasks_of(arguments);
    Json rows = Json::array();
    Progress progress("lint", static_cast<long>(tasks.size()));
    for (const Task& task : tasks) {
        rows.push_back(row_of(task, lint(task, lint_reference(task, arguments.value("--reference")))));
        progress.update(static_cast<long>(rows.size()), task.name());
    }
    progress.finish();
    if (arguments.has("--json"))
        std::fputs(document_text({{"schema", "hone.lint/1"}, {"tasks", rows}}).c_str(), stdout);
    else print_rows(rows);
    const bool fine =
        std::all_of(rows.begin(), rows.end(), [](const Json& row) { return row.at("accepted").get<bool>(); });
    return fine ? 0 : static_cast<int>(Blame::run);
}

}  // namespace

Command lint_command() {
    return {"lint",
            "SUITE_OR_TASK...",
            "can a trivial program pass a task?",
            "Each word is a suite, a folder of task files, a task file (all its tasks), SUITE/NAME or FILE.lua:NAME. "
            "Zeros, constants, copies of an input, "
            "parts of\n"
            "the data and the like are put to the judge's own comparison; a task that one of them passes is refused "
            "with the reason.\n"
            "Exit code: 0 all accepted, 1 some refused.",
            {{"--reference", "ID",
              "what runs the tasks' own definitions (torch; lua in a build without LibTorch and for tasks on plain "
              "arrays)"},
             {"--json", "", "one JSON document (hone.lint/1) on stdout"}},
            run};
}

}  // namespace hone
