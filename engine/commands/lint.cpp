// `hone lint`: is a task worth judging anybody by? Trivial programs must not pass it (lint/lint.hpp).
#include "lint/lint.hpp"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <map>
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/judging.hpp"
#include "commands/task_files.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

SuiteFiles tasks_of(const std::string& name) {
    if (!is_suite(name) && name.ends_with(".lua")) return {load_task_file(name), {}};
    const bool task = name.find('/') != std::string::npos || !task_file_of(name).empty();
    return task && !is_suite(name) ? SuiteFiles{{load_task(name)}, {}} : load_suite_files(name);
}

SuiteFiles tasks_of(const Arguments& arguments) {
    SuiteFiles all;
    for (std::size_t i = 0; i < arguments.count(); ++i) {
        SuiteFiles some = tasks_of(arguments.at(i));
        std::move(some.tasks.begin(), some.tasks.end(), std::back_inserter(all.tasks));
        std::move(some.broken.begin(), some.broken.end(), std::back_inserter(all.broken));
    }
    return all;
}

Json row_of(const Task& task, const LintResult& result) {
    return {{"task", (task.suite.empty() ? "" : task.suite + "/") + task.name()},
            {"accepted", result.reasons.empty()},
            {"reasons", result.reasons},
            {"notes", result.notes}};
}

// What lint says of a task, but for its numbers and its own name: many tasks of a suite may have one fault.
std::string kind_of(const Json& row) {
    std::string name = row.at("task"), kind = row.at("reasons").dump() + row.at("notes").dump();
    name.erase(0, name.rfind('/') + 1);
    for (std::size_t at = 0; (at = kind.find(name, at)) != std::string::npos;) kind.erase(at, name.size());
    std::erase_if(kind, [](unsigned char c) { return std::isdigit(c); });
    return kind;
}

void print_rows(const Json& rows) {
    std::size_t refused = 0;
    std::map<std::string, std::string> told;
    for (const Json& row : rows) {
        refused += !row.at("accepted");
        if (row.at("accepted") && row.at("notes").empty()) continue;
        const auto [first, fresh] = told.emplace(kind_of(row), row.at("task"));
        std::printf("%s  %s%s\n", row.at("accepted") ? "  " : "!!", row.at("task").get<std::string>().c_str(),
                    fresh ? "" : ("  as " + first->second).c_str());
        if (!fresh) continue;
        for (const Json& reason : row.at("reasons")) std::printf("      %s\n", reason.get<std::string>().c_str());
        for (const Json& note : row.at("notes")) std::printf("      note: %s\n", note.get<std::string>().c_str());
    }
    std::printf("%zu of %zu tasks accepted\n", rows.size() - refused, rows.size());
}

int run_lint(const Arguments& arguments) {
    const auto [tasks, broken] = tasks_of(arguments);
    Json rows = Json::array();
    Progress progress("lint", static_cast<long>(tasks.size()));
    for (const Task& task : tasks) {
        rows.push_back(row_of(task, lint(task, lint_reference(task, arguments.value("--reference")))));
        progress.update(static_cast<long>(rows.size()), task.name());
    }
    progress.finish();
    if (arguments.has("--json")) {
        Json doc = {{"schema", "hone.lint/1"}, {"tasks", rows}};
        add_broken(doc, broken);
        std::fputs(document_text(doc).c_str(), stdout);
    } else {
        print_rows(rows);
    }
    const bool fine =
        std::all_of(rows.begin(), rows.end(), [](const Json& row) { return row.at("accepted").get<bool>(); });
    const int code = tell_broken(broken);
    return code || fine ? code : static_cast<int>(Blame::run);
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
            "Exit code: 0 all accepted, 1 some refused, 3 some files could not be read.",
            {{"--reference", "ID",
              "what runs the tasks' own definitions (torch; lua in a build without LibTorch and for tasks on plain "
              "arrays)"},
             {"--json", "", "one JSON document (hone.lint/1) on stdout"}},
            run_lint};
}

}  // namespace hone
