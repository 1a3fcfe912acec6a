// A reward shaper outside hone's tree: the place among the answers to one prompt. The best of n answers gets 1, the
// worst that passed 1/n, and a failure 0. The reward does not depend on how much faster an answer is, so one lucky
// answer cannot outweigh all others.
#include <algorithm>
#include <hone/plugin.hpp>
#include <vector>

struct Rank : hone::ShaperPart {
    Rank(hone::Host, hone::Doc options) : ties(options.num("ties")) {}

    void shape(const hone::Docs& judgements, double* reward, hone::Out reasons) override {
        const uint32_t n = judgements.size();
        for (uint32_t i = 0; i < n; ++i) {
            if (!judgements[i].flag("passed")) {
                reward[i] = 0;
                reasons.text(std::to_string(i), judgements[i].text("verdict"));
                continue;
            }
            const double own = speedup(judgements[i]);
            uint32_t better = 0;
            for (uint32_t k = 0; k < n; ++k)
                better += judgements[k].flag("passed") && speedup(judgements[k]) > own + ties;
            reward[i] = 1.0 - static_cast<double>(better) / n;
        }
    }

    static double speedup(const hone::Doc& judgement) { return judgement.num("log_speedup.estimate", 0); }

    double ties;
    static constexpr hone_option options[] = {
        {"ties", "num", "0.01", "0..1", "answers whose ln(speed-up) lies less apart share a place"}, {}};
};
HONE_SHAPER(Rank, "rank", "1.0", "the place among the answers to one prompt; failures get nothing")
