// prompt.contrastive: for language models. The parts of CUDA-L1's prompt (task, reference, scored earlier programs;
// answer in analysis, design and code; requirements and restrictions), in our words. The constant part comes first, so
// that providers can cache it; exemplars come last.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "hone/plugin.hpp"
#include "hone/units.hpp"

namespace {

std::string fence_of(hone::Doc task) {
    const std::string fences = task.text("brief.fences");
    return fences.substr(0, fences.find(' '));
}

std::string block(const std::string& fence, const std::string& text) {
    return "```" + fence + "\n" + text + (text.ends_with('\n') ? "" : "\n") + "```\n";
}

std::string speedup_text(double log_speedup) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2fx", std::exp(log_speedup));
    return text;
}

// A judgement that a script made by itself may have no unit.
std::string score_text(const std::string& unit) {
    const std::string cost = hone::cost_in_words(unit.empty() ? "s" : unit);
    return "A score is the reference's " + cost + " over the program's " + cost + ".\n\n";
}

const char* system_text =
    "You write fast, correct compute kernels. You are given a task with its reference implementation and, where there "
    "are any, earlier programs for it with their measured scores. Write a program that computes the same function and "
    "scores higher than all of them.";

std::string task_text(hone::Doc task) {
    return "# Task: " + task.text("name") + "\n\n" + task.text("statement") +
           "\n\n# Reference\n\nIts definition, in Lua over tensors:\n\n" + block("lua", task.text("definition")) +
           "\n# What you write\n\n" + task.text("brief.text") + "\n";
}

const char* requirements_text =
    "# Requirements\n\n"
    "- The program computes what the reference computes, for every shape that the task allows, to the precision of its "
    "number type. A "
    "program that "
    "does not compile, crashes, or is wrong on any hidden input or shape scores 0.\n"
    "- Every call does the whole work on the inputs it is given. Nothing may be kept from one call for the next.\n"
    "- Sizes, types and the prototype stay as they are.\n"
    "- The score is measured from outside the program, on inputs made just before each call.\n";

std::string answer_text(const std::string& fence, bool contrast) {
    std::string text = "# Your answer\n\nThree sections, in this order:\n\n## Performance analysis\n";
    if (contrast)
        text +=
            "Compare the programs above. Which score higher, and which property of theirs explains it? Which of their "
            "ideas carry further, "
            "and what do the others waste? ";
    text +=
        "What bounds this task on this machine: memory traffic, arithmetic, latency, or call overhead? Which "
        "techniques are not used yet, "
        "and where is "
        "the largest gain left?\n\n## Algorithm design\nThe optimisation you chose, in words.\n\n## Code\nOne complete "
        "program in one "
        "block. Of several blocks the last counts, so write no other behind it:\n\n";
    return text + block(fence, "...");
}

struct Contrastive : hone::PromptPart {
    Contrastive(hone::Host, hone::Doc given) : most_shown(given.integer("exemplars")) {}

    void write(hone::Doc task, const hone::Docs& exemplars, uint64_t, const Put& put) override {
        const std::string fence = fence_of(task);
        const uint32_t shown = std::min(exemplars.size(), most_shown);
        std::string text = task_text(task) + "\n" + requirements_text + "\n";
        if (shown > 0) text += "# Earlier programs with their scores\n\n" + score_text(exemplars[0].text("unit"));
        for (uint32_t i = 0; i < shown; ++i) {
            const hone::Doc one = exemplars[i];
            text += "Program " + std::to_string(i + 1) + ", score " + speedup_text(one.num("log_speedup.estimate", 0)) +
                    ":\n\n" + block(fence, one.text("code")) +
                    (one.text("plan").empty() ? "" : "\n" + block("lua", one.text("plan"))) + "\n";
        }
        put("system", system_text);
        put("user", text + answer_text(fence, shown > 1));
    }
    void facts(hone::Out out) override { out.num("fenced", 1); }

    uint32_t most_shown;
    static constexpr hone_option options[] = {
        {"exemplars", "int", "2", "0..16", "most scored programs shown; 0 makes it a plain prompt"}, {}};
};

}  // namespace

HONE_PROMPT(Contrastive, "contrastive", "1.0",
            "task, reference and scored programs, answered by analysis, design and code: for language models")
