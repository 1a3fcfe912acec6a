#include "commands/judge_request.hpp"
#include <algorithm>
#include "base/host.hpp"
#include "base/options.hpp"
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "commands/judge_shapes.hpp"
#include "commands/judging.hpp"
#include "commands/settings.hpp"
#include "judge/call/settings.hpp"
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

bool have(const std::string& interface_name, const std::string& id) {
    const std::vector<PartFile> files = list_parts(plugin_folders());
    return std::any_of(files.begin(), files.end(),
                       [&](const PartFile& file) { return file.interface_name == interface_name && file.id == id; });
}

std::string text_of_answer(const fs::path& file) {
    return file.extension() == ".md" && fs::is_regular_file(file) ? read_file(file, max_answer_bytes) : "";
}

// What the task and the file suggest; each can be said by its flag.
Parts choose_parts(const Task& task, const fs::path& file, const Arguments& arguments) {
    const VerifierKind* found =
        task.verifier ? verifier_kind(*task.verifier) : verifier_of_file(file, text_of_answer(file));
    const VerifierKind kind = found ? *found : VerifierKind{};
    if (!found && !arguments.has("--verifier"))
        throw Error(Blame::usage, "judge", "no verifier here takes " + file.string(), "name one: --verifier ID");
    return {arguments.value("--verifier", kind.id),
            arguments.value("--timer", kind.timer.empty() ? "wall" : kind.timer),
            arguments.value("--reference", !kind.reference.empty()      ? kind.reference
                                           : have("reference", "torch") ? "torch"
                                                                        : "lua")};
}

JudgePlan make_plan(const Parts& parts, const Arguments& arguments) {
    const Json settings = parse_settings(arguments.values("--set"), {"verifier", "timer", "reference", "judge"});
    Json options = careful(verifier_kind(parts.verifier));
    options.update(settings["judge"]);
    return {make_recipe("verifier", parts.verifier, settings["verifier"], "judge"),
            make_recipe("timer", parts.timer, settings["timer"], "judge"),
            make_recipe("reference", parts.reference, settings["reference"], "judge"),
            check_options(judge_options(), options, "judge")};
}

std::string task_address(const std::string& name, const std::string& file, const Arguments& arguments) {
    if (!task_file_of(name).empty()) return fs::absolute(name).string();
    if (name.find('/') != std::string::npos) return name;
    const VerifierKind* kind = verifier_of_file(file);
    return arguments.value("--suite", kind ? kind->suite : "") + "/" + name;
}

// A ratio needs two right programs: the other one is judged first.
void check_other(Judge& judge, const Task& task, const Candidate& other, const std::string& path) {
    std::optional<Judgement> judgement;
    try {
        judgement = ask(judge, task, other, other);  // to itself: there may be no other baseline
    } catch (const Error& e) {
        if (e.blame() == Blame::environment) return;  // nothing runs here, which is then said of the candidate
        throw;
    }
    if (judgement->passed()) return;
    throw Error(judgement->scorable() ? Blame::input : Blame::environment, path,
                verdict_name(judgement->verdict) + (judgement->reason.empty() ? "" : ": " + judgement->reason),
                "--against needs a program that passes");
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
        Progress::say(std::string("hone: the evidence is not kept: ") + error.what());
    }
}

}  // namespace

std::string careful_text() {
    std::string text = options_text(usual);
    for (const VerifierKind& kind : verifier_kinds())
        if (!kind.careful.empty()) text += " (verifier " + kind.id + ": " + options_text(kind.careful) + ")";
    return text;
}

JudgeRequest read_request(const Arguments& arguments) {
    const std::string file = arguments.at(1), address = task_address(arguments.at(0), file, arguments);
    Task task = at_sizes(load_task(address), arguments.value("--shape"));
    JudgePlan plan = make_plan(choose_parts(task, file, arguments), arguments);
    return {address, std::move(task), std::move(plan), file, arguments.value("--plan"), arguments.value("--against")};
}

Judgement judge_once(Judge& judge, const JudgeRequest& request) {
    const Candidate candidate = read_candidate(judge, request.task, request.file, request.launch_plan);
    std::optional<Candidate> against;
    if (!request.against.empty()) against = read_candidate(judge, request.task, request.against);
    if (against) check_other(judge, request.task, *against, request.against);
    Judgement judgement = ask(judge, request.task, candidate, against);
    judgement.id.clear();  // the judge's own number, which means nothing to others
    keep(judgement, judge,
         {{"judgement", to_json(judgement)},
          {"candidate", to_json(candidate)},
          {"against", against ? to_json(*against) : Json()},
          {"task", {{"address", request.address}, {"doc", to_json(request.task)}}},
          {"files",
           {{"program", fs::absolute(request.file).string()},
            {"plan", request.launch_plan.empty() ? Json() : Json(fs::absolute(request.launch_plan).string())},
            {"against", against ? Json(fs::absolute(request.against).string()) : Json()}}}});
    return judgement;
}

}  // namespace hone
