#include "parts/policy_checks.hpp"
#include <algorithm>
#include <cmath>
#include <utility>
#include "base/error.hpp"
#include "base/quantity.hpp"

namespace hone {
namespace {

constexpr float rounding = 1e-3f;  // of a probability near 1

[[noreturn]] void refuse(const std::string& policy, const std::string& cause, const std::string& cure) {
    throw Error(Blame::input, policy, cause, cure);
}

}  // namespace

void check_given(const hone_answer& answer, const std::string& policy) {
    if (answer.size < offsetof(hone_answer, model))
        refuse(policy, "sample: an answer's size is " + std::to_string(answer.size),
               "set it first: answer.size = sizeof answer");
    if (answer.finish < HONE_STOP || answer.finish > HONE_ERROR)
        refuse(policy, "sample: an answer's finish is " + std::to_string(answer.finish),
               "give HONE_STOP, HONE_LENGTH, HONE_REFUSAL or HONE_ERROR");
    if (answer.text.len && !answer.text.at)
        refuse(policy, "sample: an answer's text is null and " + std::to_string(answer.text.len) + " bytes long",
               "give its bytes, or a length of 0");
}

void check_answer(const Answer& answer, bool learns, const std::string& policy) {
    const std::pair<const char*, double> costs[] = {{"tokens_in", answer.tokens_in},
                                                    {"tokens_cached", answer.tokens_cached},
                                                    {"tokens_out", answer.tokens_out},
                                                    {"usd", answer.usd}};
    for (const auto& [name, value] : costs)
        if (!std::isfinite(value) || value < 0)
            refuse(policy, std::string("sample: an answer's ") + name + " is " + plain_number(value),
                   "give a number, 0 or above; 0 where it is not known");
    check_logp(answer.logp, "sample", policy);
    const bool is_text = (answer.finish == "stop" || answer.finish == "length") && !answer.text.empty();
    if (learns && is_text && (answer.ids.empty() || answer.logp.empty()))
        refuse(policy,
               std::string("sample: an answer has no ") + (answer.ids.empty() ? "token ids" : "log-probabilities"),
               "a policy that learns gives ids and logp with each answer: it learns from them");
}

void check_logp(std::span<const float> logp, const char* function, const std::string& policy) {
    for (std::size_t t = 0; t < logp.size(); ++t)
        if (!std::isfinite(logp[t]) || logp[t] > rounding)
            refuse(policy,
                   std::string(function) + ": the log-probability of token " + std::to_string(t) + " is " +
                       plain_number(logp[t]),
                   "give natural logarithms of probabilities, at most 0; where weights have become NaN, learn with a "
                   "smaller lr");
}

void check_encoded(std::span<const std::int32_t> ids, std::span<const std::int32_t> sources, std::size_t messages,
                   const std::string& policy) {
    if (ids.empty() && messages > 0)
        refuse(policy, "encode: gave no token for " + std::to_string(messages) + " messages", "put their tokens");
    if (ids.size() != sources.size())
        refuse(
            policy,
            "encode: gave " + std::to_string(ids.size()) + " tokens and " + std::to_string(sources.size()) + " sources",
            "put the source of each token");
    for (const std::int32_t source : sources)
        if (source < -1 || source >= static_cast<std::int64_t>(messages))
            refuse(policy,
                   "encode: a token's source is message " + std::to_string(source) + " of " + std::to_string(messages),
                   "count from 0; -1 is the template's own");
}

void check_stepped(const hone_stepped& done, const std::vector<bool>& weighed, const std::string& policy) {
    const auto asked = std::count(weighed.begin(), weighed.end(), true);
    if (asked != static_cast<std::ptrdiff_t>(weighed.size()))
        refuse(
            policy,
            "learn: called weigh for " + std::to_string(asked) + " of " + std::to_string(weighed.size()) + " sequences",
            "call weigh once for each: what it fills in is what the sequence teaches");
    if (!done.applied) return;
    if (!std::isfinite(done.grad_norm) || done.grad_norm < 0 || !std::isfinite(done.objective) || done.tokens < 0)
        refuse(policy,
               "learn: applied an update with objective " + plain_number(done.objective) + ", grad_norm " +
                   plain_number(done.grad_norm) + " and " + std::to_string(done.tokens) + " tokens",
               "set applied = 0 where the gradient is not finite, and leave the weights as they were");
}

}  // namespace hone
