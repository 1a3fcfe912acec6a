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
    const VerifierKind* found = task.doc.contains("verifier") ? verifier_kind(task.doc["verifier"])
                                                              : verifier_of_file(file, text_of_answer(file));
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
    const std::string verdict = judgement->doc.at("verdict"), reason = judgement->doc.at("reason");
    throw Error(judgement->scorable() ? Blame::input : Blame::environment, path,
                verdict + (reason.empty() ? "" : ": " + reason), "--against needs a program that passes");
}

// "by CUDA-L1's protocol, slices 1.11 to 1.2", or the interval
std::string certainty(const Json& doc) {
    const Json& speedup = doc.at("speedup");
    const auto end = [](const Json& bound) { return bound.is_number() ? bound.get<double>() : HUGE_VAL; };
    const Json paper = doc.value("cuda_l1", Json());
    char text[160];
    if (paper.is_null())
        std::snprintf(text, sizeof text, "%g %% interval %.3g to %.3g", 100 * speedup.at("level").get<double>(),
                      end(speedup.at("lower")), end(speedup.at("upper")));
    else
        std::snprintf(text, sizeof text, "by CUDA-L1's protocol: slices %.3g to %.3g%s%s", end(speedup.at("lower")),
                      end(speedup.at("upper")), paper.at("steady") == true ? "" : ", too unsteady to count",
                      paper.at("confirmed") == false ? ", not confirmed when measured again" : "");
    return text;
}

constexpr double notable_share = 0.05;  // of a time that is no work

// What a reader should know of the clock before the times are compared.
void print_clock(const Json& doc, const std::string& unit) {
    const Json& speedup = doc.at("speedup");
    const bool told_apart = speedup.at("lower").is_number() && speedup.at("upper").is_number() &&
                            (speedup["lower"] > 1 || speedup["upper"] < 1);
    if (told_apart && doc.at("outcome") == "ambiguous" && !doc.contains("cuda_l1"))
        std::printf(
            "  restless  the reference's own times differ by more than this difference just now: try again when less "
            "is running\n");
    const double empty = doc["seconds"].value("empty", 0.0);
    if (empty > notable_share * doc["seconds"]["candidate"].get<double>())
        std::printf(
            "  call      %s of either time is the way to the program and back: the work alone differs by more\n",
            engineering(empty, unit).c_str());
    if (doc["clock"].value("believed", "") == "witness")
        std::printf(
            "  clock     the events of its own process were not believed: these are times of the bench's coarser "
            "clock\n");
}

// What is not in the candidate's time, although the reference has it in its own.
void print_prepacking(const Json& doc) {
    const double prepacking = doc["seconds"].value("prepack", 0.0);
    if (prepacking == 0) return;
    std::printf(
        "  prepack   %s once for constants that stay, by its own process and not in its time; the reference prepares "
        "them in each call\n",
        engineering(prepacking, "s").c_str());
    const double gain = doc["seconds"]["baseline"].get<double>() - doc["seconds"]["candidate"].get<double>();
    if (gain > 0 && doc.at("outcome") == "faster" && doc["speedup"]["baseline"] == "reference")
        std::printf("            gained back after %.0f calls\n", std::ceil(prepacking / gain));
}

void print_speed(const Json& doc) {
    const Json& speedup = doc.at("speedup");
    const std::string unit = doc.value("unit", "s"), baseline = speedup.at("baseline");
    std::printf("%s: %.3gx of %s, %s\n", doc.at("outcome").get<std::string>().c_str(),
                speedup.at("estimate").get<double>(), baseline == "against" ? "the other program" : "the reference",
                certainty(doc).c_str());
    std::printf("  times     %s, baseline %s (%d pairs; noise floor %.3g %%)\n",
                engineering(doc["seconds"]["candidate"], unit).c_str(),
                engineering(doc["seconds"]["baseline"], unit).c_str(), doc.at("pairs").get<int>(),
                100 * std::expm1(doc.at("noise").get<double>()));
    print_clock(doc, unit);
    print_prepacking(doc);
}

// "  forms     compiled 275 us, eager 529 us: the fastest is the baseline"
void print_forms(const Json& doc) {
    const Json forms = doc.value("baseline_forms", Json::object());
    std::string text;
    for (const auto& [form, seconds] : forms.items())
        text += (text.empty() ? "" : ", ") + form +
                (seconds.is_null() ? " (wrong, left out)" : " " + engineering(seconds, doc.value("unit", "s")));
    if (!text.empty()) std::printf("  forms     %s: the fastest is the baseline\n", text.c_str());
    const Json* folder = find_path(doc, "reference.options.compiled");
    if (folder && *folder != "" && !forms.contains("compiled") && doc["speedup"]["baseline"] == "reference")
        std::printf(
            "  forms     none by torch.compile: no package of this task in %s; scripts/compile_references.py makes "
            "it\n",
            folder->get<std::string>().c_str());
}

// "  roofline  32 % reached, 3.1x left: memory binds (at most 410 GB/s)"
void print_roofline(const Json& doc) {
    if (!doc.contains("roofline")) return;
    const Json& roofline = doc["roofline"];
    const bool bytes = roofline.at("limit") == "bytes";
    const double room = roofline["room"];
    std::printf("  roofline  %.3g %% reached, %.*fx left: %s binds (at most %.3g %s)\n",
                100 * doc["roofline_share"].get<double>(), room < 10 ? 1 : 0, room, bytes ? "memory" : "arithmetic",
                1e-9 * roofline["rate"].get<double>(), bytes ? "GB/s" : "Gflop/s");
}

void print_log(std::string log) {
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        std::printf("  | %s\n", log.substr(at, end - at).c_str());
        at = end + 1;
    }
}

// "  task      cpu-basics/softmax at R = 256, C = 512"
void print_task(const Json& doc) {
    const std::string suite = doc.value("suite", "");
    std::string text = (suite.empty() ? "" : suite + "/") + doc.at("task").get<std::string>(), sizes;
    const Json shape = doc.value("sizes", Json::object());
    for (const auto& [name, size] : shape.items())
        sizes += (sizes.empty() ? " at " : ", ") + name + " = " + size.dump();
    std::printf("  task      %s%s\n", text.c_str(), sizes.c_str());
}

void print_for_people(const Json& doc) {
    std::printf("%s%s%s\n", doc.at("verdict").get<std::string>().c_str(), doc.at("reason") == "" ? "" : ": ",
                doc.at("reason").get<std::string>().c_str());
    if (doc.at("passed")) print_speed(doc), print_forms(doc), print_roofline(doc);
    print_log(doc.value("log", ""));
    if (doc.contains("failure"))
        std::printf("  failed    %s; the same again: --set judge.seed=%s\n",
                    doc["failure"].value("property", "").c_str(), doc["failure"].value("key", "").c_str());
    print_task(doc);
    std::printf("  device    %s, sandbox %s\n", doc.value("device", "").c_str(), doc.value("sandbox", "").c_str());
    if (doc.contains("wall"))
        std::printf("  spent     build %s, verify %s, time %s\n", engineering(doc["wall"]["build"], "s").c_str(),
                    engineering(doc["wall"]["verify"], "s").c_str(), engineering(doc["wall"]["time"], "s").c_str());
    for (const Json& off : doc.value("defences_off", Json::array()))
        std::printf("  no score  defence \"%s\" is switched off\n", off.get<std::string>().c_str());
    if (!doc.contains("id")) return;
    const std::string replay = doc.value("replay", "");
    std::printf("  evidence  hone show %s%s%s\n", doc["id"].get<std::string>().c_str(),
                replay.empty() ? "" : "; again: ", replay.c_str());
}

// The judgement with its id and the command that repeats it. What cannot be stored is told all the same.
Json keep(const Judge& judge, Json evidence) {
    const Json options = {{"options", judge.plan().options}};
    evidence.update({{"judge", options}, {"host", describe_host()}, {"version", HONE_VERSION}, {"run", nullptr}});
    try {
        evidence = keep_bundle(evidence);
        // what was only built has no inputs that could be made again
        if (!evidence["judgement"].value("keys", Json::array()).empty())
            evidence["judgement"]["replay"] = "hone replay " + evidence["id"].get<std::string>();
    } catch (const Error& error) {
        Progress::say(std::string("hone: the evidence is not kept: ") + error.what());
    }
    return std::move(evidence["judgement"]);
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
    const Judgement judgement = ask(judge, task, candidate, against);
    const Json doc = keep(judge, {{"judgement", judgement.doc},
                                  {"candidate", to_json(candidate)},
                                  {"against", against ? to_json(*against) : Json()},
                                  {"task", {{"address", address}, {"doc", task.doc}}},
                                  {"files",
                                   {{"program", fs::absolute(file).string()},
                                    {"plan", plan.empty() ? Json() : Json(fs::absolute(plan).string())},
                                    {"against", against ? Json(fs::absolute(other).string()) : Json()}}}});
    if (arguments.has("--json")) std::fputs(document_text(doc).c_str(), stdout);
    else print_for_people(printable_document(doc));
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
