// commands/judging.hpp: what the commands that judge one program share.
#pragma once
#include <optional>
#include <string>
#include "judge/service/judge.hpp"

namespace hone {

// The program in a file: bare, or in an answer with fences as a model writes it (*.md always is one, *.cpp and *.cu
// never are). plan: file with its launch plan, "" if it has none of its own. Throws Error(input).
Candidate read_candidate(Judge&, const Task&, const std::string& path, const std::string& plan = {});
Judgement ask(Judge&, const Task&, const Candidate&, const std::optional<Candidate>& against);
int exit_code(const Judgement&);  // 0 passed, 1 rejected, 4 it could not be run here

}  // namespace hone
