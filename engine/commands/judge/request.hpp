// commands/judge/request.hpp: what a command line of `hone judge` asks for.
#pragma once
#include <optional>
#include <string>
#include "commands/command.hpp"
#include "commands/judging.hpp"
#include "judge/service/judge.hpp"

namespace hone {

struct JudgeRequest {
    std::string address;  // of the task, as load_task takes it
    Task task;
    JudgePlan plan;
    std::string file, text;            // the program: its path, or "-" for standard input; what was read there
    std::string launch_plan, against;  // paths; may be empty
    int times = 1;                     // to judge it
    double over = 0;                   // seconds, over which the beginnings of the judgings are spread
    std::optional<double> at_least;    // of a speed-up's lower end
};

struct Programs {
    Candidate candidate;
    std::optional<Candidate> against;  // what it is compared with: it passes
};

class OtherFails : public Error {  // the program to compare with, at this shape
    using Error::Error;
};

// Throws Error(usage), or Error(input) of a task or an option.
JudgeRequest read_request(const Arguments&);
// Judges the program to compare with, if there is one. Throws OtherFails where that does not pass, Error(input) of a
// program that cannot be found in its text.
Programs read_programs(Judge&, const JudgeRequest&, const OnNote&);
// Judges the program and keeps the evidence: the judgement has the id of that.
Judgement judge_once(Judge&, const JudgeRequest&, const Programs&, const OnNote&);
// The judge's options for one program that is looked at closely, for the help text.
std::string careful_text();

}  // namespace hone
