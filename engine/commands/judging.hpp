// commands/judging.hpp: what the commands that judge one program share.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include "judge/service/judge.hpp"

namespace hone {

constexpr const char* standard_input = "-";  // in place of a program's path

// The text in a file, or on standard input, which is read to its end. Throws Error(input).
std::string read_program(const std::string& path);
// The program in a text: bare, or in an answer with fences as a model writes it (*.md always is one, *.cpp and *.cu
// never are). path: where the text is from; plan: file with its launch plan, "" if it has none of its own. Throws
// Error(input).
Candidate find_candidate(Judge&, const Task&, const std::string& path, const std::string& text,
                         const std::string& plan = {});
Candidate read_candidate(Judge&, const Task&, const std::string& path, const std::string& plan = {});

using OnNote = std::function<void(const std::string&)>;  // is told several times a second what is waited for
// Throws Error(interrupted) where somebody watches for Ctrl-C (run/interrupt.hpp).
Judgement ask(Judge&, const Task&, const Candidate&, const std::optional<Candidate>& against, const OnNote&);
std::string phase_in_words(const std::string& phase);  // of Judge::phase
int exit_code(const Judgement&);                       // 0 passed, 1 rejected, 4 it could not be run here

// What runs a task's definition for the linter: the part that it is written for, plain arrays or torch. (One thread:
// tensors are small, and threads that wait for each other spin.) id: "" to choose. Throws Error(input) of an id.
Recipe lint_reference(const Task&, const std::string& id = {});
// Says which folders and verifiers were passed over: a program of theirs would go to another verifier.
void tell_passed_over();
bool have_part(const std::string& interface_name, const std::string& id);

}  // namespace hone
