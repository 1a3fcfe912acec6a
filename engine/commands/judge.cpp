// `hone judge TASK FILE`: the truth about one program: correct or not, how fast, with what certainty.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include "base/options.hpp"
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/settings.hpp"
#include "judge/judge.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

// One program deserves a sharper measurement than one among thousands.
const Json careful = {{"benches", 1}, {"precision", 0.01}, {"seconds", 0.8}};

struct Parts { std::string verifier, timer, reference; };

bool have(const std::string& interface_name, const std::string& id) {
    const std::vector<PartFile> files = list_parts(plugin_folders());
    return std::any_of(files.begin(), files.end(),
                       [&](const PartFile& file) { return file.interface_name == interface_name && file.id == id; });
}

// What the task and the file's name suggest; each can be said by its flag.
Parts choose_parts(const Task& task, const fs::path& file, const Arguments& arguments) {
    Parts parts{"cpp", "wall", have("reference", "torch") ? "torch" : "lua"};
    if (task.doc.contains("fake")) parts = {"fake", "virtual", "lua"};
    else if (file.extension() == ".cu") parts = {"cuda", "cuda-probe", "torch"};
    return {arguments.value("--verifier", parts.verifier), arguments.value("--timer", parts.timer),
            arguments.value("--reference", parts.reference)};
}

JudgePlan make_plan(const Parts& parts, const Arguments& arguments) {
    const Json settings = parse_settings(arguments.values("--set"), {"verifier", "timer", "reference", "judge"});
    Json options = careful;
    options.update(settings["judge"]);
    return {make_recipe("verifier", parts.verifier, settings["verifier"], "judge"),
            make_recipe("timer", parts.timer, settings["timer"], "judge"),
            make_recipe("reference", parts.reference, settings["reference"], "judge"), check_options(judge_options(), options, "judge")};
}

Task find_task(const std::string& name, const Arguments& arguments) {
    const bool complete = name.find('/') != std::string::npos || name.find(".lua") != std::string::npos;
    return load_task(complete ? name : arguments.value("--suite", "cpu-basics") + "/" + name);
}

// A file is a bare program, or an answer with fences as a model writes it.
Candidate read_candidate(Judge& judge, const Task& task, const std::string& path) {
    std::istringstream words(judge.brief(task).at("fences").get<std::string>());
    std::vector<std::string> fences;
    for (std::string word; words >> word;) fences.push_back(word);
    if (!fs::exists(path)) throw Error(Blame::input, path, "there is no such file");
    const std::string text = read_file(path);
    const ParsedAnswer answer = parse_answer(task.name(), text, fences, text.find("```") != std::string::npos);
    if (!answer.ok) throw Error(Blame::input, path, answer.reason);
    return answer.candidate;
}

Judgement ask(Judge& judge, const Task& task, const Candidate& candidate, const std::optional<Candidate>& against) {
    judge.submit(0, task, candidate, against ? &*against : nullptr);
    while (true)
        if (auto result = judge.collect(60)) return result->second;
}

// A ratio needs two right programs: the other one is judged first, alone.
void check_other(Judge& judge, const Task& task, const Candidate& other, const std::string& path) {
    const Judgement judgement = ask(judge, task, other, std::nullopt);
    if (judgement.passed()) return;
    const std::string verdict = judgement.doc.at("verdict"), reason = judgement.doc.at("reason");
    throw Error(judgement.scorable() ? Blame::input : Blame::environment, path, verdict + (reason.empty() ? "" : ": " + reason),
                "--against needs a program that passes");
}

std::string engineering(double value, const std::string& unit) {
    static constexpr struct { double factor; const char* prefix; } scales[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    char text[64];
    for (const auto& scale : scales) {
        if (value < scale.factor && scale.factor > 1e-9) continue;
        std::snprintf(text, sizeof text, "%.3g %s%s", value / scale.factor, scale.prefix, unit.c_str());
        break;
    }
    return text;
}

void print_speed(const Json& doc) {
    const Json& speedup = doc.at("speedup");
    const std::string unit = doc.value("unit", "s"), baseline = speedup.at("baseline");
    const auto end = [](const Json& bound) { return bound.is_number() ? bound.get<double>() : HUGE_VAL; };
    std::printf("%s: %.3gx of %s, %g %% interval %.3g to %.3g\n", doc.at("outcome").get<std::string>().c_str(),
                speedup.at("estimate").get<double>(), baseline == "against" ? "the other program" : "the reference",
                100 * speedup.at("level").get<double>(), end(speedup.at("lower")), end(speedup.at("upper")));
    std::printf("  times     %s, baseline %s (%d pairs; noise floor %.2g %%)\n", engineering(doc["seconds"]["candidate"], unit).c_str(),
                engineering(doc["seconds"]["baseline"], unit).c_str(), doc.at("pairs").get<int>(),
                100 * std::expm1(doc.at("noise").get<double>()));
}

void print_log(std::string log) {
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        std::printf("  | %s\n", log.substr(at, end - at).c_str());
        at = end + 1;
    }
}

void print_for_people(const Json& doc) {
    std::printf("%s%s%s\n", doc.at("verdict").get<std::string>().c_str(), doc.at("reason") == "" ? "" : ": ",
                doc.at("reason").get<std::string>().c_str());
    if (doc.at("passed")) print_speed(doc);
    print_log(doc.value("log", ""));
    std::printf("  device    %s, sandbox %s\n", doc.value("device", "").c_str(), doc.value("sandbox", "").c_str());
    if (doc.contains("wall"))
        std::printf("  spent     build %s, verify %s, time %s\n", engineering(doc["wall"]["build"], "s").c_str(),
                    engineering(doc["wall"]["verify"], "s").c_str(), engineering(doc["wall"]["time"], "s").c_str());
    for (const Json& off : doc.value("defences_off", Json::array()))
        std::printf("  no score  defence \"%s\" is switched off\n", off.get<std::string>().c_str());
}

int run(const Arguments& arguments) {
    const Task task = find_task(arguments.at(0), arguments);
    Judge judge(make_plan(choose_parts(task, arguments.at(1), arguments), arguments));
    const Candidate candidate = read_candidate(judge, task, arguments.at(1));
    std::optional<Candidate> against;
    if (arguments.has("--against")) against = read_candidate(judge, task, arguments.value("--against"));
    if (against) check_other(judge, task, *against, arguments.value("--against"));
    const Judgement judgement = ask(judge, task, candidate, against);
    if (arguments.has("--json")) std::printf("%s\n", judgement.doc.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    else print_for_people(judgement.doc);
    if (judgement.passed()) return 0;
    return static_cast<int>(judgement.scorable() ? Blame::run : Blame::environment);
}

}  // namespace

Command judge_command() {
    return {"judge", "TASK FILE", "is the program in FILE right, and how fast is it?",
            "TASK is SUITE/NAME, the path of a task file, or a name in --suite. FILE holds the program, or an answer with fenced code.\n"
            "Exit code: 0 passed, 1 rejected, 4 it could not be run here.",
            {{"--against", "FILE", "take the ratio to this program instead of the reference"},
             {"--suite", "NAME", "suite of a bare task name (cpu-basics)"},
             {"--verifier", "ID", "how to build and run (cpp; cuda for *.cu)"},
             {"--timer", "ID", "the clock (wall; cuda-probe for *.cu)"},
             {"--reference", "ID", "what runs the task's own definition (torch; lua in a build without LibTorch)"},
             {"--set", "PART.OPTION=VALUE", "an option of verifier, timer, reference or judge; `hone plugins NAME` (or judge) lists them"},
             {"--json", "", "one JSON document (hone.judgement/1) on stdout"}},
            run};
}

}  // namespace hone
