// commands/import/check.hpp: is an imported task what its module is? The task's reference, as the judge runs it, and
// the module answer the same inputs in float64, and the linter says whether the task is worth judging anybody by.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "commands/import/program.hpp"
#include "domain/task.hpp"
#include "judge/call/bench_parts.hpp"

namespace hone {

struct ImportCheck {
    std::string status;               // "agrees", "differs", "unchecked" or "flawed"
    std::string reason;               // of the last three
    std::vector<std::string> shapes;  // at which answers were compared
    double worst = 0;                 // rms of the error over rms of the answer
    bool linted = false;              // by the linter, at the last instance's shape
    std::vector<std::string> lint;    // what it noted
};

// instances: of one task, the timed one first; answers are compared at the last one, which an import makes small, and
// at the first hidden shape. The program has the task's module at hand. with_lint: unless the task is too slow for it.
ImportCheck check_import(ImportProgram&, const std::vector<Task>& instances, const Recipe& reference, bool with_lint);

}  // namespace hone
