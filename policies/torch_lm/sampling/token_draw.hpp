// token_draw.hpp: one token from a row of logits.
#pragma once
#include <cstdint>
#include <vector>

namespace hone::lm {

struct DrawRule {
    double temperature = 1, top_p = 1, min_p = 0;
    std::int32_t top_k = 0;  // 0: all
};
struct TokenDraw {
    std::int32_t id;
    float logp;  // of the distribution drawn from: after temperature and top_p, renormalised
};

// The random number of an answer's token: a pure function of the request's seed, the member of the group and the
// position in the answer (Philox4x32-10), so an answer does not depend on what else is sampled. [0, 1)
double token_uniform(std::uint64_t seed, std::uint32_t member, std::uint32_t position);

// temperature 0: the most likely token, with logp 0. Else one of those that are left when, one after the other,
// min_p takes those below min_p times the largest probability (Nguyen et al., arXiv 2407.01082), top_k all but the
// top_k most likely, and top_p all but the most likely that hold top_p of what was left (Holtzman et al., arXiv
// 1904.09751). What is as likely as the last that stays, stays too.
TokenDraw draw_token(const float* logits, std::int64_t vocabulary, const DrawRule& rule, double uniform,
                     std::vector<float>& scratch);

}  // namespace hone::lm
