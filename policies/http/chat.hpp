// policies/http/chat.hpp: OpenAI chat completions as JSON: requests written, answers read. Unknown fields are ignored,
// missing ones tolerated.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "settings.hpp"

namespace http {

struct Question {  // one request of the engine
    std::uint64_t tag = 0, seed = 0;
    nlohmann::json messages;  // [{role, content}]
    double temperature = 1, top_p = 1, min_p = 0;
    int top_k = 0, max_tokens = 0;
    std::vector<std::string> stop;
};
Question question_of(const hone_request&);

// Fields of a request that a model was found not to take. "max_tokens" among them: "max_completion_tokens" is sent.
using LeftOut = std::set<std::string>;
bool can_be_left_out(const std::string& field);
std::string request_body(const Settings&, const LeftOut&, const Question&, std::uint32_t member, std::uint32_t count);

struct Choice {
    std::string text;  // HONE_REFUSAL, HONE_ERROR: why this is no answer of the model's
    int finish = HONE_STOP;
    std::vector<std::int32_t> ids;
    std::vector<float> logp;
};

struct Completion {
    std::vector<Choice> choices;
    std::vector<std::int32_t> prompt_ids;
    std::string model;  // that answered
    double tokens_in = 0, tokens_cached = 0, tokens_out = 0;
    bool counted = false;       // the server says how many tokens it read and wrote
    std::optional<double> usd;  // where the provider says it
};
// By a reply's JSON; nullopt: no completion.
std::optional<Completion> read_completion(const nlohmann::json& reply);

}  // namespace http
