#include "commands/judge/text.hpp"
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "commands/judge/speed_text.hpp"
#include "judge/call/defences.hpp"

namespace hone {
namespace {

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

// Nine digits tell a float32 from its neighbours; whole numbers have all of theirs.
std::string element_text(const Json& value) {
    if (!value.is_number()) return value.is_string() ? value.get<std::string>() : "not told";
    const double number = value.get<double>();
    const bool whole = number == std::floor(number) && std::fabs(number) < 1e15;
    char text[64];
    std::snprintf(text, sizeof text, whole ? "%.0f" : "%.9g", number);
    return text;
}

void print_failure(const judged::Failure& failure) {
    std::printf("  failed    %s; the same again: --set judge.seed=%s\n", failure.property.c_str(), failure.key.c_str());
    for (const judged::WrongElement& one : failure.elements.value_or(std::vector<judged::WrongElement>()))
        std::printf("  wrong     %s%s is %s, not %s\n", failure.tensor.value_or("").c_str(), place(one.index).c_str(),
                    element_text(one.got).c_str(), element_text(one.expected).c_str());
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

// What mostly is behind a signal, of which a reason has the name alone.
void print_hint(const Judgement& j) {
    static const std::pair<const char*, const char*> hints[] = {
        {"ended by SIGSEGV",
         "so ends a store to an input, which is there for reading, an address outside of the tensors, or a stack of "
         "more than 8 MiB"},
        {"ended by SIGILL", "so ends an instruction that this processor lacks"},
        {"ended by SIGABRT", "so ends an exception that nobody catches, or a failed assertion"}};
    for (const auto& [begin, hint] : hints)
        if (j.reason.starts_with(begin)) std::printf("  hint      %s\n", hint);
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

// "  verified  by 300 calls of one process, 31 at the timed shape, C 64 to 4032, R 4 to 2044"
void print_verified(const judged::Verified& verified) {
    std::printf("  verified  by %lld calls of one process, %lld at the timed shape",
                static_cast<long long>(verified.calls), static_cast<long long>(verified.at_timed_shape));
    for (const auto& [name, least] : verified.smallest) {
        const std::int64_t most = verified.largest.at(name);
        std::printf(", %s %s", name.c_str(), std::to_string(least).c_str());
        if (most > least) std::printf(" to %s", std::to_string(most).c_str());
    }
    std::printf("\n");
}

}  // namespace

std::string verdict_text(const Judgement& j) {
    return verdict_name(j.verdict) + (j.reason.empty() ? "" : ": " + j.reason);
}

bool meets(const std::optional<double>& at_least, const Judgement& j, bool quietly) {
    const double lower = j.speedup ? j.speedup->lower : 0;
    if (!at_least || lower >= *at_least) return true;
    char text[128];
    std::snprintf(text, sizeof text, "--at-least %g: the interval of baseline / candidate begins at %s", *at_least,
                  ratio_digits(lower).c_str());
    if (quietly) Progress::say(std::string("hone: ") + text);
    else std::printf("  missed    %s\n", text);
    return false;
}

void print_device(const Judgement& j) {
    std::printf("  device    %s%s%s\n", j.device.c_str(), j.sandbox.empty() ? "" : ", sandbox ", j.sandbox.c_str());
}

void print_hull(const Judgement& j, std::size_t times) {
    std::printf("%s: %s (geometric mean), all of %zu intervals within %s\n", j.outcome.value_or("").c_str(),
                ratio_text(j).c_str(), times, range_text(j).c_str());
    print_task(j);
    print_device(j);
}

void print_for_people(const Judgement& j) {
    std::printf("%s\n", shortened(verdict_text(j)).c_str());
    if (j.passed() && j.speedup && j.per_call()) print_speed(j);
    print_hint(j);
    print_log(shortened(j.log));
    if (j.failure) print_failure(*j.failure);
    print_task(j);
    if (j.passed() && j.verified) print_verified(*j.verified);
    print_device(j);
    if (j.wall)
        std::printf("  spent     build %s, verify %s, time %s\n", engineering(j.wall->build, "s").c_str(),
                    engineering(j.wall->verify, "s").c_str(), engineering(j.wall->time, "s").c_str());
    for (const std::string& off : j.defences_off) std::printf("  no score  %s\n", why_no_score(off).c_str());
    if (!j.id.empty())
        std::printf("  evidence  hone show %s%s%s\n", j.id.c_str(), j.replay ? "; again: " : "",
                    j.replay.value_or("").c_str());
}

}  // namespace hone
