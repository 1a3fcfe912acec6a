#include "commands/judging.hpp"
#include <sstream>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "parts/verifiers.hpp"

namespace hone {

namespace {

std::string read_given(const std::string& path) {
    if (!fs::exists(path)) throw Error(Blame::input, path, "there is no such file");
    if (fs::is_directory(path))
        throw Error(Blame::input, path, "is a folder", "name the file in it that holds the program");
    return read_file(path, max_answer_bytes);
}

// A file of code is code, whatever its comments hold; of other files the lines decide.
bool is_answer(const fs::path& path, const std::string& text) {
    return path.extension() == ".md" || (!is_code_file(path) && has_fence(text));
}

// Through the parser of answers, so that a plan has one text, and the program one hash, however it was delivered.
Candidate with_plan(const Candidate& candidate, const std::vector<std::string>& fences, const std::string& path) {
    if (fences.size() < 2) throw Error(Blame::input, path, "programs in " + fences.front() + " take no launch plan");
    if (!candidate.plan.empty()) throw Error(Blame::input, path, "the program's file holds a plan already");
    const ParsedAnswer plan = parse_answer(candidate.task, read_given(path), {fences[1]}, false);
    if (!plan.ok)
        throw Error(Blame::input, path, plan.reason == "the program is empty" ? "the plan is empty" : plan.reason);
    return make_candidate(candidate.task, candidate.language, candidate.code, plan.candidate.code);
}

}  // namespace

Candidate read_candidate(Judge& judge, const Task& task, const std::string& path, const std::string& plan) {
    std::istringstream words(judge.brief(task).at("fences").get<std::string>());
    std::vector<std::string> fences;
    for (std::string word; words >> word;) fences.push_back(all_names(word));
    const std::string text = read_given(path);
    const ParsedAnswer answer = parse_answer(task.name(), text, fences, is_answer(path, text));
    if (!answer.ok) throw Error(Blame::input, path, answer.reason);
    return plan.empty() ? answer.candidate : with_plan(answer.candidate, fences, plan);
}

Judgement ask(Judge& judge, const Task& task, const Candidate& candidate, const std::optional<Candidate>& against) {
    judge.submit(0, task, candidate, against ? &*against : nullptr);
    while (true)
        if (auto result = judge.collect(60)) return result->second;
}

int exit_code(const Judgement& judgement) {
    if (judgement.passed()) return 0;
    return static_cast<int>(judgement.scorable() ? Blame::run : Blame::environment);
}

}  // namespace hone
