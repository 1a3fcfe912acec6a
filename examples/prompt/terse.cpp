// A prompt strategy outside hone's tree: the verifier's brief, the best programs so far with their scores, and
// one sentence that asks for a better one.
#include <cstdio>
#include <hone/plugin.hpp>
#include <hone/units.hpp>

struct Terse : hone::PromptPart {
    Terse(hone::Host, hone::Doc options) : shown(static_cast<uint32_t>(options.integer("exemplars"))) {}

    void write(hone::Doc task, const hone::Docs& exemplars, uint64_t, const Put& put) override {
        const std::string fences = task.text("brief.fences"), language = fences.substr(0, fences.find(' '));
        put("system", task.text("brief.text"));
        std::string text = task.text("statement") + "\n";
        for (uint32_t i = 0; i < exemplars.size() && i < shown; ++i)
            text += "\n" + score(exemplars[i]) + " the reference:\n```" + language + "\n" + exemplars[i].text("code") +
                    "\n```\n";
        put("user", text + "\nAnswer with one better program in a ```" + language + " block.");
    }

    // "2.00 times as fast as", or by a timer that counts something else "0.50 times the energy of"
    static std::string score(const hone::Doc& exemplar) {
        const double ratio = exemplar.num("speedup.estimate", 1);
        const std::string unit = exemplar.text("unit");
        const bool speed = unit.empty() || unit == "s";
        char times[32];
        std::snprintf(times, sizeof times, "%.2f times ", speed ? ratio : 1 / ratio);
        return times + (speed ? "as fast as" : "the " + hone::cost_in_words(unit) + " of");
    }

    uint32_t shown;
    static constexpr hone_option options[] = {{"exemplars", "int", "2", "0..8", "most scored programs shown"}, {}};
};
HONE_PROMPT(Terse, "terse", "1.0", "the brief, a few scored programs, one sentence")
