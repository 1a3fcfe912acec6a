// Bodies of a provider's HTTP answers (policies/http/chat).
#include <cmath>
#include "http/chat.hpp"
#include "property.hpp"

using hone::fuzz::hold;
using hone::fuzz::is_utf8;

namespace {

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

void check(const http::Completion& completion) {
    hold(!completion.choices.empty(), "a completion has a choice");
    for (const http::Choice& choice : completion.choices) {
        hold(is_utf8(choice.text), "an answer is UTF-8");
        hold(!choice.text.empty(), "an answer, or the reason why there is none");
        hold(choice.ids.empty() || choice.logp.empty() || choice.ids.size() == choice.logp.size(),
             "log-probabilities are of the tokens");
    }
    // a budget is kept by adding these up
    hold(is_amount(completion.tokens_in) && is_amount(completion.tokens_out) && is_amount(completion.tokens_cached),
         "tokens are an amount");
    hold(completion.tokens_cached <= completion.tokens_in, "cached tokens are a part of the prompt's");
    hold(!completion.usd || is_amount(*completion.usd), "a cost is an amount");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string body(hone::fuzz::view(bytes, size));
    if (const auto completion = http::read_completion(body)) check(*completion);
    (void)http::read_complaint(body);
    return 0;
}
