#include "commands/judge/request.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include "base/host.hpp"
#include "base/option_table.hpp"
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "commands/judge/shapes.hpp"
#include "commands/settings.hpp"
#include "judge/call/settings.hpp"
#include "lua/suites.hpp"
#include "lua/task_file.hpp"
#include "parts/verifiers.hpp"
#include "store/bundles.hpp"

namespace hone {
namespace {

// One program deserves a sharper measurement than one among thousands.
const Json usual = {{"benches", 1}, {"fresh", true}, {"precision", 0.01}, {"seconds", 0.8}, {"pairs", 512}};

Json careful(const VerifierKind* kind) {
    Json options = usual;
    if (kind) options.update(kind->careful);
    return options;
}

std::string options_text(const Json& options) {
    std::string text;
    for (const auto& [name, value] : options.items()) text += (text.empty() ? "" : " ") + name + "=" + value.dump();
    return text;
}

struct Parts {
    std::string verifier, timer, reference;
};

// Standard input has no ending: its blocks of code tell the language, else the task's suite does.
const VerifierKind* verifier_of_input(const std::string& text, const std::string& suite) {
    for (const VerifierKind& kind : verifier_kinds())
        if (has_fence(text, kind.fence_with_names())) return &kind;
    for (const VerifierKind& kind : verifier_kinds())
        if (!suite.empty() && kind.suite == suite) return &kind;
    return nullptr;
}

std::vector<std::string> ids_of_verifiers() {
    std::vector<std::string> ids;
    for (const VerifierKind& kind : verifier_kinds()) ids.push_back(kind.id);
    return ids;
}

bool has_unknown_ending(const std::string& file) {
    const std::string ending = fs::path(file).extension();
    return !ending.empty() && ending != ".md" && ending != ".txt" && !is_code_file(file);
}

// The verifier that takes the rest would call a program in another language wrong; one in its own fences is its own.
void refuse_unknown_ending(const std::string& file, const std::string& text) {
    const VerifierKind* rest = verifier_of_file("");
    if (rest && has_fence(text, rest->fence_with_names())) return;
    std::string cause = "no verifier takes " + fs::path(file).extension().string();
    for (const std::string& one : passed_over()) cause += "; " + one;
    throw Error(Blame::input, file, cause, "name one: --verifier " + (rest ? rest->id : "ID"));
}

const VerifierKind* suggested_verifier(const Task& task, const std::string& file, const std::string& text) {
    if (task.verifier) return verifier_kind(*task.verifier);
    if (file == standard_input) return verifier_of_input(text, task.suite);
    return verifier_of_file(file, fs::path(file).extension() == ".md" ? text : "");
}

// What the task and the file suggest; each can be said by its flag, and what goes with a verifier comes with its flag.
Parts choose_parts(const Task& task, const std::string& file, const std::string& text, const Arguments& arguments) {
    if (!arguments.has("--verifier") && !task.verifier && has_unknown_ending(file)) refuse_unknown_ending(file, text);
    const VerifierKind* found = suggested_verifier(task, file, text);
    const VerifierKind* named = arguments.has("--verifier") ? verifier_kind(arguments.value("--verifier")) : nullptr;
    if (!found && !named && task.verifier && !have_part("verifier", *task.verifier))
        throw Error(
            Blame::input, "task \"" + task.name() + "\"",
            "verifier: there is no \"" + *task.verifier + "\" here" + suggestion(*task.verifier, ids_of_verifiers()),
            "`hone plugins` lists them; --verifier ID takes another");
    const VerifierKind kind = named ? *named : found ? *found : VerifierKind{};
    if (!found && !arguments.has("--verifier"))
        throw Error(Blame::usage, "judge",
                    file == standard_input ? "no verifier is known for the program on standard input"
                                           : "no verifier here takes " + file,
                    "name one: --verifier ID");
    return {arguments.value("--verifier", kind.id),
            arguments.value("--timer", kind.timer.empty() ? "wall" : kind.timer),
            arguments.value("--reference", !kind.reference.empty()           ? kind.reference
                                           : have_part("reference", "torch") ? "torch"
                                                                             : "lua")};
}

Json close_look(const std::string& verifier, const Json& given) {
    const VerifierKind* kind = verifier_kind(verifier);
    Json options = kind ? kind->closely : Json::object();
    options.update(given);
    return options;
}

JudgePlan make_plan(const Parts& parts, const Arguments& arguments) {
    const Json settings = parse_settings(arguments.values("--set"), {"verifier", "timer", "reference", "judge"});
    Json options = careful(verifier_kind(parts.verifier));
    options.update(values_of_texts(judge_options(), settings["judge"]));
    const auto given = [&](const char* name, const std::string& id) { return in_kinds_of(name, id, settings[name]); };
    if (arguments.has("--reveal")) options["reveal"] = true;
    return {
        make_recipe("verifier", parts.verifier, close_look(parts.verifier, given("verifier", parts.verifier)), "judge"),
        make_recipe("timer", parts.timer, given("timer", parts.timer), "judge"),
        make_recipe("reference", parts.reference, given("reference", parts.reference), "judge"),
        check_options(judge_options(), options, "judge")};
}

std::string task_address(const std::string& name, const std::string& file, const Arguments& arguments) {
    if (!task_file_of(name).empty()) return fs::absolute(name).string();
    if (name.find('/') != std::string::npos) return name;
    if (!arguments.has("--verifier") && !arguments.has("--suite") && has_unknown_ending(file))
        refuse_unknown_ending(file, read_program(file));
    const VerifierKind* kind =
        arguments.has("--verifier") ? verifier_kind(arguments.value("--verifier")) : verifier_of_file(file);
    const std::string suite = arguments.value("--suite", kind ? kind->suite : "");
    if (suite.empty())
        throw Error(Blame::usage, "judge", "no suite is known for \"" + name + "\": " + file + " suggests none",
                    task_cure(name) + "; or name the suite: --suite NAME");
    return suite + "/" + name;
}

// A ratio needs two right programs: the other one is judged first.
void check_other(Judge& judge, const Task& task, const Candidate& other, const std::string& path, const OnNote& note) {
    std::optional<Judgement> judgement;
    try {
        judgement = ask(judge, task, other, other, note);  // to itself: there may be no other baseline
    } catch (const Error& e) {
        if (e.blame() == Blame::environment) return;  // nothing runs here, which is then said of the candidate
        throw;
    }
    if (judgement->passed()) return;
    throw OtherFails(judgement->scorable() ? Blame::input : Blame::environment, path,
                     verdict_name(judgement->verdict) + (judgement->reason.empty() ? "" : ": " + judgement->reason),
                     judgement->scorable()       ? "--against needs a program that passes"
                     : judgement->reason.empty() ? "try again"
                                                 : "");
}

// Gives the judgement its id and the command that repeats it. What cannot be stored is told all the same.
void keep(Judgement& judgement, const Judge& judge, Json evidence) {
    const Json options = {{"options", judge.plan().options}};
    evidence.update({{"judge", options}, {"host", describe_host()}, {"version", HONE_VERSION}, {"run", nullptr}});
    try {
        judgement.id = keep_bundle(evidence)["id"];
        // what was only built has no inputs that could be made again
        if (!judgement.keys.empty()) judgement.replay = "hone replay " + judgement.id;
    } catch (const Error& error) {
        Progress::warn(std::string("hone: the evidence is not kept: ") + error.what());
    }
}

Error usage(const std::string& cause) { return {Blame::usage, "judge", cause}; }

std::optional<double> number_of(const Arguments& arguments, const std::string& flag, const char* expected) {
    if (!arguments.has(flag)) return std::nullopt;
    const std::string text = arguments.value(flag);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end || !std::isfinite(value) || value <= 0)
        throw usage(flag + " takes " + expected + ", not \"" + text + "\"");
    return value;
}

int times_of(const Arguments& arguments) {
    const std::optional<double> times = number_of(arguments, "--repeat", "a number from 1 to 999");
    if (!times) return 1;
    if (*times > 999 || *times != std::floor(*times))
        throw usage("--repeat takes a number from 1 to 999, not \"" + arguments.value("--repeat") + "\"");
    return static_cast<int>(*times);
}

double seconds_over(const Arguments& arguments, int times) {
    const std::optional<double> minutes = number_of(arguments, "--over", "minutes");
    if (minutes && times < 2) throw usage("--over needs --repeat: one judging is spread over no time");
    return 60 * minutes.value_or(0);
}

Json absolute(const std::string& path) {
    return path.empty() || path == standard_input ? Json() : Json(fs::absolute(path).string());
}

}  // namespace

std::string careful_text() {
    std::string text = options_text(usual);
    for (const VerifierKind& kind : verifier_kinds())
        if (!kind.careful.empty()) text += " (verifier " + kind.id + ": " + options_text(kind.careful) + ")";
    return text;
}

JudgeRequest read_request(const Arguments& arguments) {
    const int times = times_of(arguments);
    const double over = seconds_over(arguments, times);
    if (arguments.has("--verifier")) find_part("verifier", arguments.value("--verifier"), plugin_folders());
    const std::optional<double> at_least = number_of(arguments, "--at-least", "a ratio above 0");
    const std::string file = arguments.at(1), address = task_address(arguments.at(0), file, arguments);
    Task task = load_task(address);
    if (arguments.has("--shape")) task = at_sizes(task, arguments.value("--shape"));
    std::string text = read_program(file);
    const Parts parts = choose_parts(task, file, text, arguments);
    tell_passed_over();
    JudgePlan plan = make_plan(parts, arguments);
    return {.address = address,
            .task = std::move(task),
            .plan = std::move(plan),
            .file = file,
            .text = std::move(text),
            .launch_plan = arguments.value("--plan"),
            .against = arguments.value("--against"),
            .times = times,
            .over = over,
            .at_least = at_least};
}

Programs read_programs(Judge& judge, const JudgeRequest& request, const OnNote& note) {
    Programs programs{find_candidate(judge, request.task, request.file, request.text, request.launch_plan), {}};
    if (request.against.empty()) return programs;
    programs.against = read_candidate(judge, request.task, request.against);
    check_other(judge, request.task, *programs.against, request.against, note);
    return programs;
}

Judgement judge_once(Judge& judge, const JudgeRequest& request, const Programs& programs, const OnNote& note) {
    const auto& [candidate, against] = programs;
    Judgement judgement = ask(judge, request.task, candidate, against, note);
    judgement.id.clear();  // the judge's own number, which means nothing to others
    keep(judgement, judge,
         {{"judgement", to_json(judgement)},
          {"candidate", to_json(candidate)},
          {"against", against ? to_json(*against) : Json()},
          {"task", {{"address", request.address}, {"doc", to_json(request.task)}}},
          {"files",
           {{"program", absolute(request.file)},
            {"plan", absolute(request.launch_plan)},
            {"against", absolute(request.against)}}}});
    return judgement;
}

}  // namespace hone
