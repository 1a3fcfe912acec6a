// domain/shaped_answer.hpp: what a shaper that is a part reads of an answer, as keys of its judgement.
#pragma once
#include <string>
#include "domain/document.hpp"

namespace hone {

struct ShapedAnswer {
    std::string code, plan, text, finish;
    double tokens_out = 0;

    static constexpr const char *title = "hone.Answer",
                                *about = "What a shaper's judgement says beside its own keys: of the answer.";
    static constexpr auto table() {
        using S = ShapedAnswer;
        return std::tuple{key("code", &S::code, "the program; empty: the answer holds none"),
                          key("plan", &S::plan, "launch plan; empty: none"), key("text", &S::text, "the whole answer"),
                          key("finish", &S::finish, "why it ended: \"stop\" or \"length\""),
                          key("tokens_out", &S::tokens_out, "tokens", "its length, as the policy counts; 0: not told")};
    }
};

}  // namespace hone
