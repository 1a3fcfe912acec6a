// A prompt strategy outside hone's tree: the verifier's brief, the best programs so far with how fast they were, and
// one sentence that asks for a better one.
#include <cstdio>
#include <hone/plugin.hpp>

struct Terse : hone::PromptPart {
    Terse(hone::Host, hone::Doc options) : shown(static_cast<uint32_t>(options.integer("exemplars"))) {}

    void write(hone::Doc task, const hone::Docs& exemplars, uint64_t, const Put& put) override {
        const std::string fences = task.text("brief.fences"), language = fences.substr(0, fences.find(' '));
        put("system", task.text("brief.text"));
        std::string text = task.text("statement") + "\n";
        for (uint32_t i = 0; i < exemplars.size() && i < shown; ++i)
            text += "\n" + times(exemplars[i]) + " as fast as the reference:\n```" + language + "\n" +
                    exemplars[i].text("code") + "\n```\n";
        put("user", text + "\nAnswer with one faster program in a ```" + language + " block.");
    }

    static std::string times(const hone::Doc& exemplar) {
        char words[32];
        std::snprintf(words, sizeof words, "%.2f times", exemplar.num("speedup.estimate", 1));
        return words;
    }

    uint32_t shown;
    static constexpr hone_option options[] = {{"exemplars", "int", "2", "0..8", "most scored programs shown"}, {}};
};
HONE_PROMPT(Terse, "terse", "1.0", "the brief, a few scored programs, one sentence")
