#include "commands/judge_text.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/quantity.hpp"

namespace hone {
namespace {

// "by CUDA-L1's protocol, slices 1.11 to 1.2", or the interval
std::string certainty(const Judgement& j) {
    double lower = j.speedup->lower, upper = j.speedup->upper.value_or(HUGE_VAL);
    if (j.unit != "s") std::swap(lower, upper), lower = 1 / lower, upper = 1 / upper;  // of costs, not of speeds
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

void print_speed(const Judgement& j) {
    const std::string what = cost_words(j.unit).what, label = j.unit == "s" ? "times" : what.empty() ? "costs" : what;
    std::printf("%s: %s, %s\n", j.outcome.value_or("").c_str(), ratio_text(j).c_str(), certainty(j).c_str());
    std::printf("  %-9s %s, baseline %s (%d pairs; noise floor %.3g %%)\n", label.c_str(),
                engineering(j.per_call()->candidate, j.unit).c_str(),
                engineering(j.per_call()->baseline, j.unit).c_str(), static_cast<int>(j.pairs.value_or(0)),
                100 * std::expm1(j.noise));
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

}  // namespace

void print_for_people(const Judgement& j) {
    std::printf("%s%s%s\n", verdict_name(j.verdict), j.reason.empty() ? "" : ": ", j.reason.c_str());
    if (j.passed() && j.speedup && j.per_call()) print_speed(j), print_forms(j), print_roofline(j);
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

}  // namespace hone
