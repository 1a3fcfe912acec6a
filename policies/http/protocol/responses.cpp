// OpenAI responses: https://platform.openai.com/docs/api-reference/responses.
#include "fields.hpp"
#include "http/settings.hpp"
#include "protocols.hpp"

namespace http {
namespace {

using nlohmann::json;

struct Said {
    std::string text, refusal;
};

// Reasoning and calls of tools are items of their own and no text of the answer.
Said said_in(const json& output) {
    Said said;
    for (const json& item : output) {
        if (text_at(item, "type") != "message") continue;
        for (const json& part : member(item, "content")) {
            if (text_at(part, "type") == "output_text") said.text += text_at(part, "text");
            said.refusal += text_at(part, "refusal");
        }
    }
    return said;
}

Choice response_choice(const json& reply) {
    Said said = said_in(member(reply, "output"));
    const std::string status = text_at(reply, "status"), why = text_at(member(reply, "incomplete_details"), "reason");
    if (!said.refusal.empty()) return refusal_of("the model refused", said.refusal);
    if (why == "content_filter") return refusal_of("a content filter stopped the answer");
    if (status == "incomplete" && why != "max_output_tokens")
        return error_of("the answer did not end by itself (incomplete_details.reason \"" + why + "\")");
    if (status != "completed" && status != "incomplete" && !status.empty())
        return error_of("the answer did not end by itself (status \"" + status + "\")");
    return answer_of(std::move(said.text), status == "incomplete", "status \"" + status + "\"");
}

class Responses : public Protocol {
public:
    const char* name() const override { return "responses"; }
    const char* answer_name() const override { return "response"; }
    std::string path(const std::string&, bool) const override { return "/responses"; }
    std::vector<std::string> key_headers(const std::string& key) const override {
        return {"Authorization: Bearer " + key};
    }
    json body(const Settings& settings, const Request& request) const override {
        const Question& asked = request.question;
        const auto taken = [&](const char* field) { return !request.left_out.contains(field); };
        json body = {{"model", settings.model}, {"input", asked.messages}, {"store", false}};
        if (asked.max_tokens > 0) body["max_output_tokens"] = asked.max_tokens;
        if (taken("temperature")) body["temperature"] = asked.temperature;
        if (taken("top_p") && asked.top_p > 0 && asked.top_p < 1) body["top_p"] = asked.top_p;
        if (request.streams) body["stream"] = true;
        return body;
    }
    std::optional<Completion> read(const json& reply) const override {
        if (!member(reply, "output").is_array() || text_at(reply, "status") == "failed") return std::nullopt;
        Completion done;
        done.choices.push_back(response_choice(reply));
        done.model = text_at(reply, "model");
        const json& usage = member(reply, "usage");
        done.tokens_in = amount_at(usage, "input_tokens");
        done.tokens_out = amount_at(usage, "output_tokens");
        done.counted = is_amount_at(usage, "input_tokens") && is_amount_at(usage, "output_tokens");
        done.tokens_cached =
            std::min(amount_at(member(usage, "input_tokens_details"), "cached_tokens"), done.tokens_in);
        return done;
    }
    // The last event holds the whole reply; those before are read for their text alone.
    std::string add(const json& event, json& reply) const override {
        const std::string type = text_at(event, "type");
        if (type == "response.output_text.delta") return text_at(event, "delta");
        if (type == "error") reply["error"] = event;
        const json& whole = member(event, "response");
        const bool ends = type == "response.completed" || type == "response.incomplete" || type == "response.failed";
        if (ends && whole.is_object()) reply = whole;
        return "";
    }
    bool is_complete(const json& reply) const override {
        const std::string status = text_at(reply, "status");
        return status == "completed" || status == "incomplete" || status == "failed";
    }
    LeftOut lacks() const override { return {"seed", "stop", "top_k", "min_p", "n", "logprobs", "return_token_ids"}; }
};

}  // namespace

const Protocol& responses() {
    static const Responses protocol;
    return protocol;
}

}  // namespace http
