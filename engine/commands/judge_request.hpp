// commands/judge_request.hpp: what a command line of `hone judge` asks for.
#pragma once
#include <string>
#include "commands/command.hpp"
#include "judge/service/judge.hpp"

namespace hone {

struct JudgeRequest {
    std::string address;  // of the task, as load_task takes it
    Task task;
    JudgePlan plan;
    std::string file, launch_plan, against;  // paths; the last two may be empty
};

// Throws Error(usage), or Error(input) of a task or an option.
JudgeRequest read_request(const Arguments&);
// Judges the program, after the one that it is compared with, and keeps the evidence: the judgement has the id of that.
// Throws Error(input) where the program to compare with does not pass.
Judgement judge_once(Judge&, const JudgeRequest&);
// The judge's options for one program that is looked at closely, for the help text.
std::string careful_text();

}  // namespace hone
