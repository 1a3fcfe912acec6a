// `hone judge TASK FILE`: the truth about one program: correct or not, how fast, with what certainty.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/host.hpp"
#include "base/options.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/judging.hpp"
#include "commands/settings.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/job.hpp"
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

// "benches=1 precision=0.01 ... (verifier cuda: pairs=256 ...)"
std::string careful_text() {
    std::string text = options_text(usual);
    for (const VerifierKind& kind : verifier_kinds())
        if (!kind.careful.empty()) text += " (verifier " + kind.id + ": " + options_text(kind.careful) + ")";
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

// A ratio needs two right programs: the other one is judged first, alone.
void check_other(Judge& judge, const Task& task, const Candidate& other, const std::string& path) {
    std::optional<Judgement> judgement;
    try {
        judgement = ask(judge, task, other, std::nullopt);
    } catch (const Error& e) {
        if (e.blame() == Blame::environment) return;  // nothing runs here, which is then said of the candidate
        throw;
    }
    if (judgement->passed()) return;
    throw Error(judgement->scorable() ? Blame::input : Blame::environment, path,
                verdict_name(judgement->verdict) + (judgement->reason.empty() ? "" : ": " + judgement->reason),
                "--against needs a program that passes");
}

// "by CUDA-L1's protocol, slices 1.11 to 1.2", or the interval
std::string certainty(const Judgement& j) {
    const double lower = j.speedup->lower, upper = j.speedup->upper.value_or(HUGE_VAL);
    char text[160];
    if (!j.cuda_l1)
        std::snprintf(text, sizeof text, "%g %% interval %.3g to %.3g", 100 * j.speedup->level, lower, upper);
    else
        std::snprintf(text, sizeof text, "by CUDA-L1's protocol: slices %.3g to %.3g%s%s", lower, upper,
                      j.cuda_l1->steady ? "" : ", too unsteady to count",
                      j.cuda_l1->confirmed.value_or(true) ? "" : ", not confirmed when measured again");
    return text;
}

constexpr double notable_share = 0.05;  // of a time that is no work

// What a reader should know of the clock before the times are compared.
void print_clock(const Judgement& j) {
    const bool told_apart = j.speedup->lower > 1 || j.speedup->upper.value_or(HUGE_VAL) < 1;
    if (told_apart && j.outcome == "ambiguous" && !j.cuda_l1)
        std::printf(
            "  restless  the reference's own times differ by more than this difference just now: try again when less "
            "is running\n");
    const double empty = j.seconds->empty.value_or(0);
    if (empty > notable_share * j.seconds->candidate)
        std::printf(
            "  call      %s of either time is the way to the program and back: the work alone differs by more\n",
            engineering(empty, j.unit).c_str());
    if (j.clock.value("believed", "") == "independent")
        std::printf(
            "  clock     the events of its own process were not believed: these are times of the bench's coarser "
            "clock\n");
}

// What is not in the candidate's time, although the reference has it in its own.
void print_prepacking(const Judgement& j) {
    if (!j.seconds->prepack) return;
    std::printf(
        "  prepack   %s once for constants that stay, by its own process and not in its time; the reference prepares "
        "them in each call\n",
        engineering(*j.seconds->prepack, "s").c_str());
    const double gain = j.seconds->baseline - j.seconds->candidate;
    if (gain > 0 && j.outcome == "faster" && j.speedup->baseline == "reference")
        std::printf("            gained back after %.0f calls\n", std::ceil(*j.seconds->prepack / gain));
}

void print_speed(const Judgement& j) {
    std::printf("%s: %.3gx of %s, %s\n", j.outcome.value_or("").c_str(), j.speedup->estimate,
                j.speedup->baseline == "against" ? "the other program" : "the reference", certainty(j).c_str());
    std::printf("  times     %s, baseline %s (%d pairs; noise floor %.3g %%)\n",
                engineering(j.seconds->candidate, j.unit).c_str(), engineering(j.seconds->baseline, j.unit).c_str(),
                static_cast<int>(j.pairs.value_or(0)), 100 * std::expm1(j.noise));
    print_clock(j);
    print_prepacking(j);
}

// "  forms     compiled 275 us, eager 529 us: the fastest is the baseline"
void print_forms(const Judgement& j) {
    const auto forms = j.baseline_forms.value_or(std::map<std::string, double>());
    std::string text;
    for (const auto& [form, seconds] : forms)
        text += (text.empty() ? "" : ", ") + form +
                (std::isnan(seconds) ? " (wrong, left out)" : " " + engineering(seconds, j.unit));
    if (!text.empty()) std::printf("  forms     %s: the fastest is the baseline\n", text.c_str());
    const std::string folder = j.reference ? j.reference->options.value("compiled", "") : "";
    if (!folder.empty() && !forms.contains("compiled") && j.speedup->baseline == "reference")
        std::printf(
            "  forms     none by torch.compile: no package of this task in %s; scripts/compile_references.py makes "
            "it\n",
            folder.c_str());
}

// "  roofline  32 % reached, 3.1x left: memory binds (at most 410 GB/s)"
void print_roofline(const Judgement& j) {
    if (!j.roofline) return;
    const bool bytes = j.roofline->limit == "bytes";
    const double room = j.roofline->room;
    std::printf("  roofline  %.3g %% reached, %.*fx left: %s binds (at most %.3g %s)\n",
                100 * j.roofline_share.value_or(0), room < 10 ? 1 : 0, room, bytes ? "memory" : "arithmetic",
                1e-9 * j.roofline->rate, bytes ? "GB/s" : "Gflop/s");
}

void print_log(std::string log) {
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        std::printf("  | %s\n", log.substr(at, end - at).c_str());
        at = end + 1;
    }
}

// "  task      cpu-basics/softmax at R = 256, C = 512"
void print_task(const Judgement& j) {
    std::string sizes;
    for (const auto& [name, size] : j.sizes)
        sizes += (sizes.empty() ? " at " : ", ") + name + " = " + std::to_string(size);
    std::printf("  task      %s%s\n", ((j.suite.empty() ? "" : j.suite + "/") + j.task).c_str(), sizes.c_str());
}

void print_for_people(const Judgement& j) {
    std::printf("%s%s%s\n", verdict_name(j.verdict), j.reason.empty() ? "" : ": ", j.reason.c_str());
    if (j.passed() && j.speedup && j.seconds) print_speed(j), print_forms(j), print_roofline(j);
    print_log(j.log);
    if (j.failure)
        std::printf("  failed    %s; the same again: --set judge.seed=%s\n", j.failure->property.c_str(),
                    j.failure->key.c_str());
    print_task(j);
    std::printf("  device    %s, sandbox %s\n", j.device.c_str(), j.sandbox.c_str());
    if (j.wall)
        std::printf("  spent     build %s, verify %s, time %s\n", engineering(j.wall->build, "s").c_str(),
                    engineering(j.wall->verify, "s").c_str(), engineering(j.wall->time, "s").c_str());
    for (const std::string& off : j.defences_off)
        std::printf("  no score  defence \"%s\" is switched off\n", off.c_str());
    if (!j.id.empty())
        std::printf("  evidence  hone show %s%s%s\n", j.id.c_str(), j.replay ? "; again: " : "",
                    j.replay.value_or("").c_str());
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

int run(const Arguments& arguments) {
    const std::string file = arguments.at(1), address = task_address(arguments.at(0), file, arguments),
                      other = arguments.value("--against");
    const std::string plan = arguments.value("--plan");
    const Task task = load_task(address);
    Judge judge(make_plan(choose_parts(task, file, arguments), arguments));
    const Candidate candidate = read_candidate(judge, task, file, plan);
    std::optional<Candidate> against;
    if (!other.empty()) against = read_candidate(judge, task, other);
    if (against) check_other(judge, task, *against, other);
    Judgement judgement = ask(judge, task, candidate, against);
    judgement.id.clear();  // the judge's own number, which means nothing to others
    keep(judgement, judge,
         {{"judgement", to_json(judgement)},
          {"candidate", to_json(candidate)},
          {"against", against ? to_json(*against) : Json()},
          {"task", {{"address", address}, {"doc", to_json(task)}}},
          {"files",
           {{"program", fs::absolute(file).string()},
            {"plan", plan.empty() ? Json() : Json(fs::absolute(plan).string())},
            {"against", against ? Json(fs::absolute(other).string()) : Json()}}}});
    if (arguments.has("--json")) std::fputs(document_text(to_json(judgement)).c_str(), stdout);
    else print_for_people(judgement_from_json(printable_document(to_json(judgement))));
    return exit_code(judgement);
}

}  // namespace

Command judge_command() {
    return {
        "judge",
        "TASK FILE",
        "is the program in FILE right, and how fast is it?",
        std::string(
            "TASK is SUITE/NAME, the path of a task file (FILE.lua:NAME where it holds several), or a name in "
            "--suite.\n"
            "FILE holds the program, or an answer with fenced code (*.md always does, files of code never do).\n"
            "What it finds is kept for `hone show` and `hone replay`, below $XDG_STATE_HOME/hone "
            "(~/.local/state/hone).\n") +
            "One program is measured more sharply than `hone plugins judge` says, unless --set judge.OPTION says "
            "otherwise:\n" +
            careful_text() + "\nExit code: 0 passed, 1 rejected, 4 it could not be run here.",
        {{"--plan", "FILE", "launch plan of FILE's kernels (in Lua; docs/launch-plans.md, section \"A launch plan\")"},
         {"--against", "FILE", "take the ratio to this program instead of the reference"},
         {"--suite", "NAME", "suite of a bare task name (that of the verifier that takes FILE)"},
         {"--verifier", "ID",
          "how to build and run (the one that takes files of this ending, or answers in its language)"},
         {"--timer", "ID", "the clock (the one that the verifier names)"},
         {"--reference", "ID", "what runs the task's own definition (torch; lua in a build without LibTorch)"},
         {"--set", "PART.OPTION=VALUE",
          "an option of verifier, timer, reference or judge; `hone plugins NAME` (or judge) lists them"},
         {"--json", "", "one JSON document (hone.judgement/1) on stdout"}},
        run};
}

}  // namespace hone
