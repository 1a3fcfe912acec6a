#include "commands/judge_text.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "judge/call/defences.hpp"

namespace hone {
namespace {

// The ends of the interval of what is told: of speeds, or of costs.
std::pair<double, double> ends(const Judgement& j) {
    const double lower = j.speedup->lower, upper = j.speedup->upper.value_or(HUGE_VAL);
    return j.unit == "s" ? std::pair(lower, upper) : std::pair(1 / upper, 1 / lower);
}

// "by CUDA-L1's protocol, slices 1.11 to 1.2", or the interval
std::string certainty(const Judgement& j) {
    const auto [lower, upper] = ends(j);
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
constexpr double notable_load = 0.1;    // cores, that others had; the kernel counts no finer

// "  machine   other programs used 1.2 cores while it was timed; the host took 0.3 cores away"
void print_load(const Judgement& j) {
    const double foreign = j.wall ? j.wall->foreign.value_or(0) : 0, stolen = j.wall ? j.wall->stolen.value_or(0) : 0;
    char used[64] = "", taken[64] = "";
    if (foreign >= notable_load) std::snprintf(used, sizeof used, "other programs used %.1f cores", foreign);
    if (stolen >= notable_load)
        std::snprintf(taken, sizeof taken, "the virtual machine's host took %.1f cores away", stolen);
    if (*used || *taken)
        std::printf("  machine   %s%s%s while it was timed: --repeat tells by how much times change\n", used,
                    *used && *taken ? " and " : "", taken);
}

// What a reader should know of the clock before the times are compared.
void print_clock(const Judgement& j) {
    const bool told_apart = j.speedup->lower > 1 || j.speedup->upper.value_or(HUGE_VAL) < 1;
    if (told_apart && j.outcome == "ambiguous" && !j.cuda_l1)
        std::printf(
            "  restless  the reference's own times differ by %.3g %% just now, which covers this difference: try again "
            "when less is running\n",
            100 * std::expm1(j.noise));
    const double empty = j.per_call()->empty.value_or(0);
    if (empty > notable_share * j.per_call()->candidate)
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
    if (!j.per_call()->prepack) return;
    std::printf(
        "  prepack   %s once for constants that stay, by its own process and not in its time; the reference prepares "
        "them in each call\n",
        engineering(*j.per_call()->prepack, "s").c_str());
    const double gain = j.per_call()->baseline - j.per_call()->candidate;
    if (gain > 0 && j.outcome == "faster" && j.speedup->baseline == "reference")
        std::printf("            gained back after %.0f calls\n", std::ceil(*j.per_call()->prepack / gain));
}

const char* baseline_in_words(const Speedup& speedup) {
    if (speedup.baseline == "against") return "the other program";
    return speedup.baseline == "program" ? "the task's baseline program" : "the reference";
}

// "1.63x of the reference", "uses 0.3x the energy of the reference", "0.3x of the reference in parsecs"
std::string ratio_text(const Judgement& j) {
    const std::string other = baseline_in_words(*j.speedup);
    const std::string what = cost_words(j.unit).what;
    char text[64];
    std::snprintf(text, sizeof text, "%.3gx", j.unit == "s" ? j.speedup->estimate : 1 / j.speedup->estimate);
    if (j.unit == "s") return text + (" of " + other);
    return what.empty() ? text + (" of " + other + " in " + j.unit + "s")
                        : std::string("uses ") + text + " the " + what + " of " + other;
}

// What the verifier says of the built program: registers, spills, widths of vectors.
void print_resources(const Judgement& j) {
    const std::string text = j.facts.is_object() ? j.facts.value("resources", "") : "";
    if (!text.empty()) std::printf("  program   %s\n", text.c_str());
}

void print_speed(const Judgement& j) {
    const std::string what = cost_words(j.unit).what, label = j.unit == "s" ? "times" : what.empty() ? "costs" : what;
    std::printf("%s\n", speed_text(j).c_str());
    std::printf("  %-9s %s, baseline %s (%d pairs)\n", label.c_str(),
                engineering(j.per_call()->candidate, j.unit).c_str(),
                engineering(j.per_call()->baseline, j.unit).c_str(), static_cast<int>(j.pairs.value_or(0)));
    print_resources(j);
    print_load(j);
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

std::string place(const std::vector<std::int64_t>& index) {
    std::string text;
    for (const std::int64_t i : index) text += (text.empty() ? "[" : ",") + std::to_string(i);
    return text.empty() ? text : text + "]";
}

// "R = 256, C = 512"
std::string sizes_text(const std::map<std::string, std::int64_t>& sizes) {
    std::string text;
    for (const auto& [name, size] : sizes) text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
    return text;
}

void print_failure(const judged::Failure& failure) {
    std::printf("  failed    %s; the same again: --set judge.seed=%s\n", failure.property.c_str(), failure.key.c_str());
    for (const judged::WrongElement& one : failure.elements.value_or(std::vector<judged::WrongElement>()))
        std::printf("  wrong     %s%s is %.9g, not %.9g\n", failure.tensor.value_or("").c_str(),
                    place(one.index).c_str(), one.got, one.expected);
    if (failure.folder)
        std::printf("  call      its inputs, outputs and truth, at %s: %s/*.npy\n",
                    sizes_text(failure.sizes.value_or(std::map<std::string, std::int64_t>())).c_str(),
                    failure.folder->c_str());
}

// An entry of defences_off in words.
std::string why_no_score(const std::string& off) {
    if (off == "planted") return "each timed call was prolonged";
    if (off == "revealed") return "with --reveal secret inputs may be known";
    const bool defence =
        std::any_of(std::begin(defences), std::end(defences), [&](const Defence& one) { return one.name == off; });
    return defence ? "defence \"" + off + "\" is switched off" : off;
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
    const std::string sizes = sizes_text(j.sizes);
    std::printf("  task      %s%s%s\n", ((j.suite.empty() ? "" : j.suite + "/") + j.task).c_str(),
                sizes.empty() ? "" : " at ", sizes.c_str());
}

}  // namespace

std::string verdict_text(const Judgement& j) {
    return verdict_name(j.verdict) + (j.reason.empty() ? "" : ": " + j.reason);
}

std::string speed_text(const Judgement& j) {
    return j.outcome.value_or("") + ": " + ratio_text(j) + ", " + certainty(j);
}

bool meets(const std::optional<double>& at_least, const Judgement& j, bool quietly) {
    const double lower = j.speedup ? j.speedup->lower : 0;
    if (!at_least || lower >= *at_least) return true;
    char text[128];
    std::snprintf(text, sizeof text, "--at-least %g: the interval of baseline / candidate begins at %.3g", *at_least,
                  lower);
    if (quietly) Progress::say(std::string("hone: ") + text);
    else std::printf("  missed    %s\n", text);
    return false;
}

void print_hull(const Judgement& j, std::size_t times) {
    const auto [lower, upper] = ends(j);
    std::printf("%s: %s (geometric mean), all of %zu intervals within %.3g to %.3g\n", j.outcome.value_or("").c_str(),
                ratio_text(j).c_str(), times, lower, upper);
    print_task(j);
    std::printf("  device    %s, sandbox %s\n", j.device.c_str(), j.sandbox.c_str());
}

void print_for_people(const Judgement& j) {
    std::printf("%s\n", verdict_text(j).c_str());
    if (j.passed() && j.speedup && j.per_call()) print_speed(j), print_forms(j), print_roofline(j);
    print_log(j.log);
    if (j.failure) print_failure(*j.failure);
    print_task(j);
    std::printf("  device    %s, sandbox %s\n", j.device.c_str(), j.sandbox.c_str());
    if (j.wall)
        std::printf("  spent     build %s, verify %s, time %s\n", engineering(j.wall->build, "s").c_str(),
                    engineering(j.wall->verify, "s").c_str(), engineering(j.wall->time, "s").c_str());
    for (const std::string& off : j.defences_off) std::printf("  no score  %s\n", why_no_score(off).c_str());
    if (!j.id.empty())
        std::printf("  evidence  hone show %s%s%s\n", j.id.c_str(), j.replay ? "; again: " : "",
                    j.replay.value_or("").c_str());
}

}  // namespace hone
