// prompt.compact: for models that are small enough to be trained from nothing here. Task, score tokens and programs,
// nothing else:
//     <|task|>softmax 256x512<|s7|>PROGRAM<|s12|>PROGRAM<|code|>
// Only the marks are special tokens: task and programs are plain, so that a comment cannot pass for a mark. An
// exemplar's score token counts half octaves of speed-up: s8 is 1x, s10 is 2x, s6 is 0.5x. The whole answer is the
// program, and after a line ```lua its launch plan.
#include <algorithm>
#include <cmath>
#include "hone/plugin.hpp"

namespace {

std::string score_token(double log_speedup) {
    const double half_octaves = std::round(2 * log_speedup / std::log(2.0)) + 8;
    return "<|s" + std::to_string(static_cast<int>(std::clamp(half_octaves, 0.0, 15.0))) + "|>";
}

std::string program(hone::Doc exemplar) {
    const std::string plan = exemplar.text("plan");
    return exemplar.text("code") + (plan.empty() ? "" : "\n```lua\n" + plan);
}

struct Compact : hone::PromptPart {
    Compact(hone::Host, hone::Doc given) : most_shown(given.integer("exemplars")) {}

    void write(hone::Doc task, const hone::Docs& exemplars, uint64_t, const Put& put) override {
        const auto plain = [&](const std::string& text) {
            if (!text.empty()) put("plain", text);
        };
        put("", "<|task|>");
        plain(task.text("spec"));
        for (uint32_t i = 0; i < exemplars.size() && i < most_shown; ++i) {
            put("", score_token(exemplars[i].num("log_speedup.estimate", 0)));
            plain(program(exemplars[i]));
        }
        put("", "<|code|>");
    }
    void facts(hone::Out out) override {
        out.num("fenced", 0);
        out.text("speaks", "compact");
    }

    unsigned long most_shown;
    static constexpr hone_option options[] = {{"exemplars", "int", "2", "0..8", "most scored programs shown"}, {}};
};

}  // namespace

HONE_PROMPT(Compact, "compact", "1.0", "task, score tokens and programs: for tiny models")
