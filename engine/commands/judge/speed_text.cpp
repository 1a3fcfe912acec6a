#include "commands/judge/speed_text.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/quantity.hpp"
#include "base/stats.hpp"
#include "hone/units.hpp"

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
        std::snprintf(text, sizeof text, "%g %% interval %s", 100 * j.speedup->level, range_text(j).c_str());
    else
        std::snprintf(text, sizeof text, "by CUDA-L1's protocol: slices %.3g to %.3g%s%s", lower, upper,
                      j.cuda_l1->steady ? "" : ", too unsteady to count",
                      j.cuda_l1->confirmed.value_or(true) ? "" : ", not confirmed when measured again");
    return text;
}

constexpr double notable_share = 0.05;    // of a time that is no work
constexpr double least_beside_way = 0.3;  // the way itself is known to a tenth or so
constexpr double notable_slow = 0.05;     // of the calls
constexpr double notable_load = 0.1;      // cores, that others had; the kernel counts no finer

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

// The share of readings that are more than twice a typical one.
double slow_share(const std::vector<double>& readings, double typical) {
    const auto slow = std::count_if(readings.begin(), readings.end(), [&](double r) { return r > 2 * typical; });
    return readings.empty() ? 0 : static_cast<double>(slow) / static_cast<double>(readings.size());
}

// The ratio is a trimmed mean's: a program may take its time in each tenth call and keep the ratio.
void print_slow_calls(const Judgement& j) {
    if (!j.samples || j.cuda_l1) return;
    const double candidate = slow_share(j.samples->candidate, j.per_call()->candidate),
                 baseline = slow_share(j.samples->baseline, j.per_call()->baseline);
    if (candidate < notable_slow || candidate < 2 * baseline) return;
    std::printf(
        "  uneven    %.2g %% of its calls cost more than twice a typical one, of the baseline's %.2g %%; with "
        "them its mean is %s, the baseline's %s: the ratio leaves out up to one call in eight at each end\n",
        100 * candidate, 100 * baseline, engineering(mean(j.samples->candidate), j.unit).c_str(),
        engineering(mean(j.samples->baseline), j.unit).c_str());
}

// A program that is quick on one kind of inputs alone, or recognises it.
void print_inputs(const Judgement& j) {
    const std::string kind = j.clock.value("slowest_inputs", "");
    if (!kind.empty())
        std::printf("  inputs    its ratio depends on their values: what counts is the slowest kind, inputs %s\n",
                    kind.c_str());
    const std::string perhaps = j.clock.value("perhaps_slowest", "");
    if (!perhaps.empty())
        std::printf(
            "  inputs    its ratio may depend on their values, which %lld pairs do not tell: the interval reaches "
            "down to the slowest kind's, inputs %s\n",
            static_cast<long long>(j.pairs.value_or(0)), perhaps.c_str());
}

// What the times would say without the hand-over to the program and back; empty: nearly the same.
std::string work_alone(const Judgement& j) {
    const double empty = j.per_call()->empty.value_or(0), candidate = j.per_call()->candidate - empty,
                 baseline = j.per_call()->baseline - empty;
    if (empty <= 0) return "";
    if (std::min(candidate, baseline) < least_beside_way * empty) return "what is left is too short to be compared";
    const double speedup = baseline / candidate;
    const double half_width = (j.speedup->upper.value_or(HUGE_VAL) - j.speedup->lower) / 2;
    if (empty <= notable_share * candidate && std::fabs(speedup - j.speedup->estimate) <= half_width) return "";
    char text[64];
    std::snprintf(text, sizeof text, "the ratio is about %.3gx", j.unit == "s" ? speedup : 1 / speedup);
    return text;
}

// Of a program whose time is in good part its language's own.
void print_language(const Judgement& j) {
    const Json facts = j.verifier && j.verifier->facts ? *j.verifier->facts : Json::object();
    const double own = facts.value("language_seconds", 0.0);
    if (j.unit != "s" || own <= notable_share * j.per_call()->candidate) return;
    const bool both = j.speedup->baseline == "against";
    std::printf("  language  %s of %s may be no work but its language's own; %s\n", engineering(own, j.unit).c_str(),
                both ? "each time" : "the program's time, and none of the reference's,",
                both ? "the ratio of the work alone lies further from 1"
                     : "--against FILE compares two programs that both pay");
}

// What a reader should know of the clock before the times are compared.
void print_clock(const Judgement& j) {
    if (const std::string words = restless_text(j); !words.empty()) std::printf("  restless  %s\n", words.c_str());
    if (const std::string work = work_alone(j); !work.empty())
        std::printf("  call      %s of both times is the hand-over to the program and back%s; without it %s\n",
                    engineering(*j.per_call()->empty, j.unit).c_str(),
                    j.clock.contains("calls") ? ", with its inputs" : "", work.c_str());
    if (j.clock.value("believed", "") == "independent")
        std::printf(
            "  clock     the events of its own process were not believed: these are times of the bench's coarser "
            "clock\n");
}

// Of parts that were given another number each: the ratio is then of teams, too.
void print_threads(const Judgement& j) {
    const auto threads = [](const std::optional<judged::Part>& part) {
        return part && part->facts ? part->facts->value("threads", 0) : 0;
    };
    const int own = threads(j.verifier), others = threads(j.reference);
    if (j.speedup->baseline == "reference" && own > 0 && others > 0 && own != others)
        std::printf("  threads   the program has %d, the reference %d (verifier.threads, reference.threads)\n", own,
                    others);
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

// What the verifier says of the built program: registers, spills, widths of vectors.
void print_resources(const Judgement& j) {
    const std::string text = j.facts.is_object() ? j.facts.value("resources", "") : "";
    if (!text.empty()) std::printf("  program   %s\n", text.c_str());
}

void print_times(const Judgement& j) {
    const std::string what = cost_words(j.unit).what, label = j.unit == "s" ? "times" : what.empty() ? "costs" : what;
    std::printf("%s\n", speed_text(j).c_str());
    std::printf("  %-9s %s, baseline %s (%d pairs)\n", label.c_str(),
                engineering(j.per_call()->candidate, j.unit).c_str(),
                engineering(j.per_call()->baseline, j.unit).c_str(), static_cast<int>(j.pairs.value_or(0)));
    print_resources(j);
    print_inputs(j);
    print_slow_calls(j);
    print_load(j);
    print_clock(j);
    print_threads(j);
    print_language(j);
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

}  // namespace

std::string ratio_text(const Judgement& j) {
    const std::string other = baseline_in_words(*j.speedup);
    const std::string what = cost_words(j.unit).what;
    const std::string text = ratio_digits(j.unit == "s" ? j.speedup->estimate : 1 / j.speedup->estimate) + "x";
    if (j.unit == "s") return text + (" of " + other);
    return what.empty() ? text + (" of " + other + " in " + in_plural(j.unit))
                        : std::string("uses ") + text + " the " + what + " of " + other;
}

std::string restless_text(const Judgement& j) {
    const bool told_apart = j.speedup->lower > 1 || j.speedup->upper.value_or(HUGE_VAL) < 1;
    if (!told_apart || j.outcome != "ambiguous" || j.cuda_l1) return "";
    char text[160];
    std::snprintf(text, sizeof text,
                  "the reference's own times differ by %.3g %% just now, which covers this difference: try again when "
                  "less is running",
                  100 * std::expm1(j.noise));
    return text;
}

std::string speed_text(const Judgement& j) {
    return j.outcome.value_or("") + ": " + ratio_text(j) + ", " + certainty(j);
}

std::string range_text(const Judgement& j) {
    const auto [lower, upper] = ends(j);
    return ratio_digits(lower) + " to " + ratio_digits(upper);
}

void print_speed(const Judgement& j) { print_times(j), print_forms(j), print_roofline(j); }

}  // namespace hone
