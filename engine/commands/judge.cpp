// `hone judge TASK FILE`: the truth about one program: correct or not, how fast, with what certainty.
#include <cstdio>
#include "base/printable.hpp"
#include "commands/command.hpp"
#include "commands/judge_request.hpp"
#include "commands/judge_sweep.hpp"
#include "commands/judge_text.hpp"
#include "commands/judging.hpp"

namespace hone {
namespace {

int run(const Arguments& arguments) {
    const JudgeRequest request = read_request(arguments);
    if (arguments.has("--sweep")) return sweep(request, arguments);
    Judge judge(request.plan);
    const Judgement judgement = judge_once(judge, request);
    if (arguments.has("--json")) std::fputs(document_text(to_json(judgement)).c_str(), stdout);
    else print_for_people(judgement_from_json(printable_document(to_json(judgement))));
    return exit_code(judgement);
}

}  // namespace

Command judge_command() {
    return {
        "judge",
        "TASK FILE",
        "is the program in FILE right, and how fast is it?",
        std::string(
            "TASK is SUITE/NAME, the path of a task file (FILE.lua:NAME where it holds several), or a name in "
            "--suite.\n"
            "FILE holds the program, or an answer with fenced code (*.md always does, files of code never do).\n"
            "What it finds is kept for `hone show` and `hone replay`, below $XDG_STATE_HOME/hone "
            "(~/.local/state/hone).\n") +
            "One program is measured more sharply than `hone plugins judge` says, unless --set judge.OPTION says "
            "otherwise:\n" +
            careful_text() + "\nExit code: 0 passed, 1 rejected, 4 it could not be run here.",
        {{"--plan", "FILE", "launch plan of FILE's kernels (in Lua; docs/launch-plans.md, section \"A launch plan\")"},
         {"--against", "FILE", "take the ratio to this program instead of the reference"},
         {"--shape", "SIZES", "at another timed shape: R=1024,C=1024 (a size that is not named stays)"},
         {"--sweep", "[SIZES]",
          "at several: C=256,1024,4096 (of several sizes each with each), or the task's own shapes; prints a table"},
         {"--suite", "NAME", "suite of a bare task name (that of the verifier that takes FILE)"},
         {"--verifier", "ID",
          "how to build and run (the one that takes files of this ending, or answers in its language)"},
         {"--timer", "ID", "the clock (the one that the verifier names)"},
         {"--reference", "ID", "what runs the task's own definition (torch; lua in a build without LibTorch)"},
         {"--set", "PART.OPTION=VALUE",
          "an option of verifier, timer, reference or judge; `hone plugins NAME` (or judge) lists them"},
         {"--json", "", "one JSON document (hone.judgement/1, of a sweep hone.sweep/1) on stdout"}},
        run};
}

}  // namespace hone
