// policies/http/protocol/protocol.hpp: how one kind of API is spoken: requests written, replies read, whole or as a
// stream of events. Unknown fields are ignored, missing ones tolerated.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "hone/policy.h"

namespace http {

struct Settings;

struct Question {  // one request of the engine
    std::uint64_t tag = 0, seed = 0;
    nlohmann::json messages;  // [{role, content}]
    double temperature = 1, top_p = 1, min_p = 0;
    int top_k = 0, max_tokens = 0;  // 0: not said
    std::vector<std::string> stop;
    bool goes_on = false;  // text to go on with was among the messages
};
Question question_of(const hone_request&);

// Fields of a request that a model does not take, by OpenAI's names, whatever the protocol calls them. "max_tokens"
// among them: chat sends "max_completion_tokens". "stream" among them: the reply comes whole.
using LeftOut = std::set<std::string>;
// OpenAI's name of a field (stop_sequences: stop); "": a request cannot do without it.
std::string field_that_can_be_left_out(const std::string& field);

struct Choice {
    std::string text;  // HONE_REFUSAL, HONE_ERROR: why this is no answer of the model's
    int finish = HONE_STOP;
    std::vector<std::int32_t> ids;
    std::vector<float> logp;         // empty, or one of each id; without ids, one of each token of the server's
    int fault = HONE_FAULT_UNKNOWN;  // of HONE_ERROR
    double retry_after = 0;          // seconds, where the server says it
};

struct Completion {
    std::vector<Choice> choices;
    std::vector<std::int32_t> prompt_ids;
    std::string model;                                        // that answered
    double tokens_in = 0, tokens_cached = 0, tokens_out = 0;  // out: thoughts too. cached: a part of in
    double tokens_written = 0;                                // into a cache: a part of in
    bool counted = false;                                     // the server says how many tokens it read and wrote
    std::optional<double> usd;                                // where the provider says it
};

struct Request {
    const Question& question;
    std::uint32_t member, count;  // which of its answers are asked for: member .. member + count - 1
    const LeftOut& left_out;
    bool streams;
};

// Without state: one of each kind serves all calls.
class Protocol {
public:
    virtual ~Protocol() = default;
    virtual const char* name() const = 0;         // of the option `protocol`
    virtual const char* answer_name() const = 0;  // for errors: "chat completion"
    // Behind base_url, such as "/chat/completions"; streams: where the reply comes as events.
    virtual std::string path(const std::string& model, bool streams) const = 0;
    virtual std::vector<std::string> key_headers(const std::string& key) const = 0;
    virtual nlohmann::json body(const Settings&, const Request&) const = 0;
    // By a reply's JSON; nullopt: no completion.
    virtual std::optional<Completion> read(const nlohmann::json& reply) const = 0;
    // Adds one event to the reply that all events of a stream make together, the reply that would have come whole.
    // Returns what it adds to the text of the first answer.
    virtual std::string add(const nlohmann::json& event, nlohmann::json& reply) const = 0;
    // Whether the events say of each answer how it ended: a stream that ends before was cut off.
    virtual bool is_complete(const nlohmann::json& reply) const = 0;
    // Whether they said that an end is still to come and it did not, though the server said that the stream is whole.
    virtual bool awaits_end(const nlohmann::json&) const { return false; }
    // Fields that no model takes by this protocol, by OpenAI's names.
    virtual LeftOut lacks() const { return {}; }
    // What a token costs that goes into a cache, by the price of one that does not.
    virtual double cache_write() const { return 1; }
};

// "chat" (OpenAI chat completions), "responses" (OpenAI), "messages" (Anthropic), "gemini" (generateContent); null:
// there is no such protocol.
const Protocol* protocol_of(const std::string& name);

}  // namespace http
