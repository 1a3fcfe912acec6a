// domain/candidate.hpp: what a policy wrote: analysis, design, code. Answers are foreign bytes; this is the one parser
// for them.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>
#include "domain/document.hpp"

namespace hone {

struct Candidate {
    std::string task, code, plan, language, hash;

    static constexpr const char *title = "hone.Candidate", *about = "A program, as a policy wrote it.";
    static constexpr auto table() {
        using S = Candidate;
        return std::tuple{key("task", &S::task, "name of the task's instance"), key("code", &S::code, "the program"),
                          key("plan", &S::plan, "launch plan (Lua), where the verifier takes one; may be empty"),
                          key("language", &S::language, "fence that the code came in: a name of the verifier's"),
                          key("hash", &S::hash, "SHA-256 of language, code and plan: a score belongs to it")};
    }
};

struct ParsedAnswer {
    bool ok = false;
    std::string
        reason;  // why not: "no ```cpp block", "the ```cpp block is not closed", "program longer than 64 KiB", ...
    std::string analysis, design;
    Candidate candidate;
    std::size_t programs = 0;  // blocks of the code's language, of which the last one is the candidate
};

// Whether a line begins a block of that language; "": begins or ends any block.
bool has_fence(std::string_view text, const std::string& names = {});

// A language may have several names in answers, "cpp|c++|cc": the first is the one that a candidate keeps.
std::string first_name(const std::string& names);

// fences: the languages that the verifier's brief names, first the code's ("cpp"), then "lua" if it takes a plan.
// fenced false: the whole answer is the program (tiny models); where there may be a plan, it follows a line ```lua. An
// answer that begins or ends with a fence, and has a block of the code's language, is taken as a fenced one.
// fenced: the last block of the code's language counts, with the last of the plan's that follows it; earlier ones are
// drafts. The plan of the only program may also stand before it. An answer that ends within a block is refused: it was
// cut, and a draft is not what it meant. Blocks in other languages are prose. Thoughts (<think>...</think>) at its
// beginning are no part of the answer.
// Code and plan lose blank space at their ends and a byte-order mark, so a program has one hash however it was
// delivered.
ParsedAnswer parse_answer(const std::string& task, const std::string& answer, const std::vector<std::string>& fences,
                          bool fenced);
Candidate make_candidate(std::string task, std::string language, std::string code, std::string plan = {});

// As a candidate travels to a bench and to a verifier.
nlohmann::json to_json(const Candidate&);
Candidate candidate_from_json(const nlohmann::json&);  // throws Error(input)

constexpr std::size_t max_candidate_bytes = 64u << 10;  // code and plan
constexpr std::size_t max_answer_bytes = 1u << 20;      // with the thoughts around them

}  // namespace hone
