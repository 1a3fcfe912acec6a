#include "commands/exit_codes.hpp"
#include <cstdio>
#include "base/error.hpp"

namespace hone {

const std::vector<ExitCode>& exit_codes() {
    static const auto code = [](Blame blame) { return static_cast<int>(blame); };
    static const std::vector<ExitCode> all = {
        {0, "done", "done; of a check: it holds; of `serve`: ended, and all requests were answered"},
        {code(Blame::run), "the run failed or the candidate was rejected",
         "the run failed, the candidate was rejected, or a check does not hold (`import`, `lint`, "
         "`models PROVIDER`, `plugins --check`, `replay`, `zoo`, `judge --at-least`)"},
        {code(Blame::usage), "wrong usage", "wrong usage: a command, a flag or a flag's value"},
        {code(Blame::input), "bad script, task or configuration",
         "bad script, task, program file, part or configuration"},
        {code(Blame::environment), "unfit environment (`hone doctor` names it)",
         "unfit environment (`hone doctor` names the cause), a candidate that could not be judged here "
         "(INFRASTRUCTURE), or too many lost answers"},
        {code(Blame::interrupted), "interrupted",
         "interrupted by Ctrl-C (SIGINT) or SIGTERM; of `serve`: requests were given up"}};
    return all;
}

std::string exit_codes_text() {
    std::string text = "Exit codes of every command; `hone COMMAND --help` says what a command's own check asks.\n\n";
    for (const ExitCode& row : exit_codes()) {
        char code[8];
        std::snprintf(code, sizeof code, "%5d", row.code);
        text += std::string(code) + "  " + row.meaning + "\n";
    }
    return text + "\nAbove 128 the rest is a signal's number: 139 is a crash (signal 11).\n";
}

}  // namespace hone
