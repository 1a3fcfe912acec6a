// token_draw.hpp: one token from a row of logits.
#pragma once
#include <cstdint>
#include <vector>

namespace hone::lm {

struct DrawRule {
    double temperature, top_p, uniform;
};
struct TokenDraw {
    std::int32_t id;
    float logp;  // of the distribution drawn from: after temperature and top_p, renormalised
};

// The random number of an answer's token: a pure function of the request's seed, the member of the group and the
// position in the answer (Philox4x32-10), so an answer does not depend on what else is sampled. [0, 1)
double token_uniform(std::uint64_t seed, std::uint32_t member, std::uint32_t position);

// temperature 0: the most likely token, with logp 0. top_p < 1: from the smallest set of most likely tokens that holds
// at least top_p (Holtzman et al., arXiv 1904.09751).
TokenDraw draw_token(const float* logits, std::int64_t vocabulary, const DrawRule& rule, std::vector<float>& scratch);

}  // namespace hone::lm
