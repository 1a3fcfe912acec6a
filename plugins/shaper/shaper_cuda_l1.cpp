// shaper.cuda-l1: CUDA-L1's reward (arXiv 2507.14111, section 2.4): the plain speed-up, rounded to two decimals towards
// 1; 0 for a failure. Smoothing over the group is the objective's (scripts/hone/objective.lua).
#include <cmath>
#include "hone/plugin.hpp"

namespace {

double round_towards_one(double x) {
    return x >= 1 ? std::floor(x * 100 + 1e-9) / 100 : std::ceil(x * 100 - 1e-9) / 100;
}

struct CudaL1 : hone::ShaperPart {
    CudaL1(hone::Host, hone::Doc) {}

    void shape(const hone::Docs& judgements, double* reward, hone::Out reasons) override {
        for (uint32_t i = 0; i < judgements.size(); ++i) {
            const hone::Doc one = judgements[i];
            reward[i] = one.flag("passed") ? round_towards_one(one.num("speedup.estimate")) : 0;
            if (!one.flag("passed")) reasons.text(std::to_string(i), one.text("verdict"));
        }
    }
};

}  // namespace

HONE_SHAPER(CudaL1, "cuda-l1", "1.0", "speed-up rounded towards 1, 0 for a failure: the paper's reward")
