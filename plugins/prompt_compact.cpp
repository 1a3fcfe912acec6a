// prompt.compact: for models that are small enough to be trained from nothing here. Task, score tokens and programs, nothing else:
//     <|task|>softmax 256x512<|s7|>PROGRAM<|s12|>PROGRAM<|code|>
// Only the marks are special tokens: task and programs are plain, so that a comment cannot pass for a mark. An exemplar's score token
// counts half octaves of speed-up: s8 is 1x, s10 is 2x, s6 is 0.5x. The whole answer is the program, and after a line ```lua its launch plan.
#include <algorithm>
#include <cmath>
#include "hone/plugin.hpp"

namespace {

// exemplar.speedup.estimate is a natural logarithm, as everywhere in Lua.
std::string score_token(double log_speedup) {
    const double half_octaves = std::round(2 * log_speedup / std::log(2.0)) + 8;
    return "<|s" + std::to_string(static_cast<int>(std::clamp(half_octaves, 0.0, 15.0))) + "|>";
}

template <class Exemplar>
std::string program(Exemplar exemplar) {
    const std::string plan = exemplar.text("plan");
    return exemplar.text("code") + (plan.empty() ? "" : "\n```lua\n" + plan);
}

struct Compact {
    Compact(hone::Host, hone::Doc given) : exemplars(given.integer("exemplars")) {}

    template <class Exemplar, class Put>
    void write(hone::Doc task, Exemplar exemplar, uint32_t n, uint64_t, Put put) {
        const auto plain = [&](const std::string& text) { if (!text.empty()) put("plain", text); };
        put("", "<|task|>");
        plain(task.text("spec"));
        for (uint32_t i = 0; i < n && i < exemplars; ++i) {
            put("", score_token(exemplar(i).num("speedup.estimate", 0)));
            plain(program(exemplar(i)));
        }
        put("", "<|code|>");
    }
    void facts(hone::Out out) { out.num("fenced", 0); }

    unsigned long exemplars;
    static constexpr hone_option options[] = {{"exemplars", "int", "2", "0..8", "most scored programs shown"}, {}};
};

}  // namespace

HONE_PROMPT(Compact, "compact", "1.0", "task, score tokens and programs: for tiny models")
