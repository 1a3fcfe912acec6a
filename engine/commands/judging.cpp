#include "commands/judging.hpp"
#include <iostream>
#include <map>
#include <sstream>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "parts/verifiers.hpp"
#include "run/interrupt.hpp"

namespace hone {

namespace {

constexpr double between_looks = 0.2;  // seconds

std::string read_standard_input() {
    std::string text(max_answer_bytes + 1, '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > max_answer_bytes)
        throw Error(Blame::input, "standard input",
                    "is longer than " + std::to_string(max_answer_bytes >> 20) + " MiB, and no program may be");
    return text;
}

std::string read_given(const std::string& path) {
    if (path == standard_input)
        throw Error(Blame::input, path, "standard input serves for FILE alone", "name a file here");
    if (!fs::exists(path)) throw Error(Blame::input, path, "there is no such file");
    if (fs::is_directory(path))
        throw Error(Blame::input, path, "is a folder", "name the file in it that holds the program");
    return read_file(path, max_answer_bytes);
}

// A file of code is code, whatever its comments hold; of other files the lines decide.
bool is_answer(const fs::path& path, const std::string& text) {
    return path.extension() == ".md" || (!is_code_file(path) && has_fence(text));
}

// The parser speaks of what a model answers.
std::string of_file(const std::string& reason) {
    constexpr std::string_view subject = "answer ";
    return reason.starts_with(subject) ? reason.substr(subject.size()) : reason;
}

// Through the parser of answers, so that a plan has one text, and the program one hash, however it was delivered.
Candidate with_plan(const Candidate& candidate, const std::vector<std::string>& fences, const std::string& path) {
    if (fences.size() < 2) throw Error(Blame::input, path, "programs in " + fences.front() + " take no launch plan");
    if (!candidate.plan.empty()) throw Error(Blame::input, path, "the program's file holds a plan already");
    const ParsedAnswer plan = parse_answer(candidate.task, read_given(path), {fences[1]}, false);
    if (!plan.ok)
        throw Error(Blame::input, path,
                    plan.reason == "the program is empty" ? "the plan is empty" : of_file(plan.reason));
    return make_candidate(candidate.task, candidate.language, candidate.code, plan.candidate.code);
}

}  // namespace

std::string read_program(const std::string& path) {
    return path == standard_input ? read_standard_input() : read_given(path);
}

Candidate find_candidate(Judge& judge, const Task& task, const std::string& path, const std::string& text,
                         const std::string& plan) {
    std::istringstream words(judge.brief(task).at("fences").get<std::string>());
    std::vector<std::string> fences;
    for (std::string word; words >> word;) fences.push_back(all_names(word));
    const ParsedAnswer answer = parse_answer(task.name(), text, fences, is_answer(path, text));
    if (!answer.ok) throw Error(Blame::input, path, of_file(answer.reason));
    if (answer.programs > 1)
        Progress::say("hone: " + path + " holds " + std::to_string(answer.programs) + " blocks of " +
                      first_name(fences.front()) + ": the last one is judged");
    return plan.empty() ? answer.candidate : with_plan(answer.candidate, fences, plan);
}

Candidate read_candidate(Judge& judge, const Task& task, const std::string& path, const std::string& plan) {
    return find_candidate(judge, task, path, read_given(path), plan);
}

Judgement ask(Judge& judge, const Task& task, const Candidate& candidate, const std::optional<Candidate>& against,
              const OnNote& note) {
    judge.submit(0, task, candidate, against ? &*against : nullptr);
    while (true) {
        const auto result = judge.collect(between_looks);
        check_interrupt();
        if (result) return result->second;
        note(phase_in_words(judge.phase()));
    }
}

std::string phase_in_words(const std::string& phase) {
    static const std::map<std::string, std::string> words = {
        {"", "starts a bench"},
        {"probe", "tries out the device"},
        {"prepare", "prepares the reference"},
        {"build", "compiles"},
        {"verify", "verifies"},
        {"time", "times"},
        {"wait", "waits: another program of hone has the machine"}};
    const auto found = words.find(phase);
    return found == words.end() ? phase : found->second;
}

void tell_passed_over() {
    for (const std::string& one : passed_over()) Progress::say("hone: " + one);
}

bool have_part(const std::string& interface_name, const std::string& id) {
    const std::vector<PartFile> files = list_parts(plugin_folders());
    return std::any_of(files.begin(), files.end(),
                       [&](const PartFile& file) { return file.interface_name == interface_name && file.id == id; });
}

Recipe lint_reference(const Task& task, const std::string& id) {
    const bool plain =
        !have_part("reference", "torch") || task.verifier || task.source.find("array.") != std::string::npos;
    const std::string chosen = !id.empty() ? id : plain ? "lua" : "torch";
    return make_recipe("reference", chosen, chosen == "torch" ? Json{{"threads", 1}} : Json::object(), "lint");
}

int exit_code(const Judgement& judgement) {
    if (judgement.passed()) return 0;
    return static_cast<int>(judgement.scorable() ? Blame::run : Blame::environment);
}

}  // namespace hone
