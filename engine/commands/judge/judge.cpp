// `hone judge TASK FILE`: the truth about one program: correct or not, how fast, with what certainty.
#include <cstdio>
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/judge/own_task.hpp"
#include "commands/judge/repeats.hpp"
#include "commands/judge/request.hpp"
#include "commands/judge/sweep.hpp"
#include "commands/judge/text.hpp"
#include "commands/judging.hpp"
#include "run/interrupt.hpp"

namespace hone {
namespace {

Judgement judge(const JudgeRequest& request) {
    Progress progress("judge", 1);
    const OnNote note = [&](const std::string& text) { progress.update(0, text); };
    Judge judge(request.plan);
    return judge_once(judge, request, read_programs(judge, request, note), note);
}

int run(const Arguments& arguments) {
    const InterruptGuard guard("it ends; what was judged is kept");
    const JudgeRequest request = read_request(arguments);
    const bool json = arguments.has("--json");
    tell_of_own_task(request.task);
    if (arguments.has("--sweep")) return sweep(request, arguments);
    if (request.times > 1) return judge_repeatedly(request, json);
    const Judgement judgement = judge(request);
    if (json) std::fputs(document_text(to_json(judgement)).c_str(), stdout);
    else print_for_people(judgement_from_json(printable_document(to_json(judgement))));
    if (judgement.passed() && !meets(request.at_least, judgement, json)) return static_cast<int>(Blame::run);
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
            "FILE holds the program, or an answer with fenced code (*.md always does, files of code never do); - is\n"
            "standard input.\n"
            "What it finds is kept for `hone show` and `hone replay`, below $XDG_STATE_HOME/hone "
            "(~/.local/state/hone).\n") +
            "One program is measured more sharply than `hone plugins judge` says, unless --set judge.OPTION says "
            "otherwise:\n" +
            careful_text() + "\nExit code: 0 passed, 1 rejected or below --at-least, 4 it could not be run here.",
        {{"--plan", "FILE", "launch plan of FILE's kernels (in Lua; docs/launch-plans.md, section \"A launch plan\")"},
         {"--against", "FILE", "take the ratio to this program (a file, not -) instead of the reference"},
         {"--at-least", "X", "exit with 1 where the lower end of the speed-up's interval is below X: 1 is as fast"},
         {"--repeat", "N", "judge it N times, each in a new bench; the interval then holds the intervals of all"},
         {"--over", "MINUTES", "spread the beginnings of --repeat over so long"},
         {"--reveal", "",
          "of a failing call tell the first wrong elements, and write its tensors as .npy files (no score then)"},
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
         {"--json", "",
          "one JSON document on stdout: hone.judgement/1, with --repeat hone.repeats/1, with --sweep hone.sweep/1"}},
        run};
}

}  // namespace hone
