// shaper.log-speedup: the reward is the part of the log speed-up that is certain: the lower end of its interval, less
// the task's noise floor, clipped. A slow but correct program stays above a failure, so that learning to be correct
// always pays.
#include <algorithm>
#include <cmath>
#include "hone/plugin.hpp"

namespace {

struct LogSpeedup : hone::ShaperPart {
    LogSpeedup(hone::Host, hone::Doc given)
        : failure(given.num("failure")), least(given.num("least")), most(given.num("most")) {
        if (least > most) throw hone::Refused("least must not exceed most");
        if (failure > least)
            throw hone::Refused("failure must not exceed least, or a wrong program could beat a slow one");
    }

    void shape(const hone::Docs& judgements, double* reward, hone::Out reasons) override {
        for (uint32_t i = 0; i < judgements.size(); ++i) {
            const hone::Doc one = judgements[i];
            if (!one.flag("passed")) {
                reward[i] = failure;
                reasons.text(std::to_string(i), one.text("verdict"));
                continue;
            }
            const double certain = one.num("log_speedup.lower") - one.num("noise", 0);
            reward[i] = std::clamp(certain, least, most);
            if (reward[i] != certain) reasons.text(std::to_string(i), "clipped");
        }
    }

    double failure, least, most;
    static constexpr hone_option options[] = {
        {"failure", "num", "-2.5", nullptr, "reward of a program that did not pass"},
        {"least", "num", "-2", nullptr, "lower clip of ln(speed-up)"},
        {"most", "num", "3", nullptr, "upper clip of ln(speed-up)"},
        {}};
};

}  // namespace

HONE_SHAPER(LogSpeedup, "log-speedup", "1.0",
            "lower bound of ln(speed-up) less the noise floor, clipped; failures below all")
