#include "judge/call/settings.hpp"
#include "judge/call/defences.hpp"

namespace hone {

const std::vector<Option>& judge_options() {
    static const std::vector<Option> options = {
        {"benches", "int", "0", "0..256",
         "candidates built and verified at once; 0: one a core. Timing is always exclusive"},
        {"protocol", "choice", "paired", "paired|cuda-l1",
         "how readings become a speedup: blocks of pairs with an interval, or the paper's seven slices "
         "of the window with their median (lower and upper are then the extreme slices)"},
        {"precision", "num", "0.07", "0.001..1", "half width of the interval of ln(speedup) at which timing stops"},
        {"level", "num", "0.95", "0.5..0.9999", "confidence level of the interval"},
        {"seconds", "num", "0.2", "0.001..600",
         "seconds of timing for one candidate; three times that where kinds of inputs may differ"},
        {"pairs", "int", "128", "8..4096", "most pairs of candidate and baseline"},
        {"fresh", "bool", "false", "",
         "time each block of pairs in a fresh process of the candidate: its place in memory counts as chance"},
        {"planted", "num", "0", "0..10",
         "share by which each timed call is prolonged, for tests of the statistics (the judgement is then no "
         "score)"},
        {"deadline", "num", "10", "0.1..3600", "seconds that a phase (build, verify, time) of one judging may take"},
        {"refresh", "int", "8", "1..1000000", "uses of a stored timing after which it is taken again"},
        {"pool_mb", "int", "512", "1..1000000", "megabytes of input sets with their truth that a bench keeps"},
        {"reveal", "bool", "false", "",
         "a failure tells the first wrong elements, and its tensors are written to a folder as .npy files (the "
         "judgement "
         "is then no score)"},
        {"seed", "text", "", "", "replay key; empty: keys that nobody can foresee"},
        {"without", "text", "", "",
         "defences to switch off, separated by commas (tests only: the judgement is then no score)"},
    };
    return options;
}

Settings Settings::from_json(const Json& checked) {
    Settings settings{};
    settings.benches = checked.at("benches");
    settings.cuda_l1 = checked.at("protocol") == "cuda-l1";
    settings.precision = checked.at("precision");
    settings.level = checked.at("level");
    settings.seconds = checked.at("seconds");
    settings.pairs = checked.at("pairs");
    settings.fresh = checked.at("fresh");
    settings.planted = checked.at("planted");
    settings.deadline = checked.at("deadline");
    settings.refresh = checked.at("refresh");
    settings.pool_bytes = checked.at("pool_mb").get<std::size_t>() << 20;
    settings.reveal = checked.at("reveal");
    const std::string seed = checked.at("seed");
    if (!seed.empty()) {
        std::size_t end = 0;
        try {
            settings.seed = std::stoull(seed, &end, 0);
        } catch (const std::exception&) {
            end = 0;
        }
        if (end != seed.size())
            throw Error(Blame::input, "judge", "seed \"" + seed + "\" is no whole number",
                        "take the one that a judgement's `keys` shows");
    }
    settings.without = parse_defences(checked.at("without"), "judge");
    return settings;
}

}  // namespace hone
