// domain/candidate.hpp: what a policy wrote: analysis, design, code. Answers are foreign bytes; this is the one parser
// for them.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "base/json.hpp"

namespace hone {

struct Candidate {
    std::string task;      // instance name
    std::string code;      // the program
    std::string plan;      // launch plan (Lua), for tiers that take one
    std::string language;  // fence that the code came in: a name of the verifier's
    std::string hash;      // sha256 over language, code and plan: a score belongs to it
};

struct ParsedAnswer {
    bool ok = false;
    std::string reason;  // why not: "no ```cpp block", "two ```cpp blocks", "program longer than 64 KiB", ...
    std::string analysis, design;
    Candidate candidate;
};

// Whether a line begins a block of that language; "": begins or ends any block.
bool has_fence(std::string_view text, const std::string& names = {});

// A language may have several names in answers, "cpp|c++|cc": the first is the one that a candidate keeps.
std::string first_name(const std::string& names);

// fences: the languages that the verifier's brief names, first the code's ("cpp"), then "lua" if it takes a plan.
// fenced false: the whole answer is the program (tiny models); where there may be a plan, it follows a line ```lua.
// fenced: exactly one block of the code's language, at most one of the plan's; blocks in other languages are prose.
// Code and plan lose blank space at their ends and a byte-order mark, so a program has one hash however it was
// delivered.
ParsedAnswer parse_answer(const std::string& task, const std::string& answer, const std::vector<std::string>& fences,
                          bool fenced);
Candidate make_candidate(std::string task, std::string language, std::string code, std::string plan = {});

// As a candidate travels to a bench and to a verifier; reading throws the JSON library's errors where a field is
// missing.
Json to_json(const Candidate&);
Candidate candidate_from_json(const Json&);

constexpr std::size_t max_candidate_bytes = 64u << 10;  // code and plan
constexpr std::size_t max_answer_bytes = 1u << 20;      // with the thoughts around them

}  // namespace hone
