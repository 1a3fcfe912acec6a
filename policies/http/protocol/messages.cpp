// Anthropic messages: https://docs.anthropic.com/en/api/messages.
#include "fields.hpp"
#include "http/settings.hpp"
#include "protocols.hpp"

namespace http {
namespace {

using nlohmann::json;

constexpr int preset_max_tokens = 8192;  // the API wants a number

// Thoughts and calls of tools are blocks of their own and no text of the answer.
std::string message_text(const json& content) {
    std::string text;
    for (const json& block : content)
        if (text_at(block, "type") == "text") text += text_at(block, "text");
    return text;
}

// Whoever asks says the same there each time: the provider keeps its tokens for some minutes. A text that is too short
// for that it takes as any other.
json cached_block(const std::string& text) {
    return {{"type", "text"}, {"text", text}, {"cache_control", {{"type", "ephemeral"}}}};
}

Choice message_choice(const json& reply) {
    const std::string ended = text_at(reply, "stop_reason");
    std::string text = message_text(member(reply, "content"));
    if (ended == "refusal") return refusal_of("the model refused", text);
    const bool at_limit = ended == "max_tokens" || ended == "model_context_window_exceeded";
    if (!at_limit && ended != "end_turn" && ended != "stop_sequence" && ended != "tool_use" && !ended.empty())
        return error_of("the answer did not end by itself (stop_reason \"" + ended + "\")");
    return answer_of(std::move(text), at_limit, "stop_reason \"" + ended + "\"");
}

std::string add_block(const json& event, json& reply) {
    json* const block = element_at(reply, "content", member(event, "index"));
    if (!block) return "";
    if (const json& begun = member(event, "content_block"); begun.is_object()) *block = begun;
    const std::string text = text_at(event.contains("delta") ? member(event, "delta") : *block, "text");
    if (event.contains("delta") && !text.empty()) append(*block, "text", text);
    return text_at(*block, "type") == "text" ? text : "";
}

class Messages : public Protocol {
public:
    const char* name() const override { return "messages"; }
    const char* answer_name() const override { return "message"; }
    std::string path(const std::string&, bool) const override { return "/messages"; }
    std::vector<std::string> key_headers(const std::string& key) const override {
        return {"x-api-key: " + key, "anthropic-version: 2023-06-01"};
    }
    json body(const Settings& settings, const Request& request) const override {
        const Question& asked = request.question;
        const auto taken = [&](const char* field) { return !request.left_out.contains(field); };
        json body = {{"model", settings.model},
                     {"max_tokens", asked.max_tokens > 0 ? asked.max_tokens : preset_max_tokens},
                     {"messages", json::array()}};
        std::string system;  // stands apart, once
        for (const json& message : asked.messages) {
            if (message["role"] != "system") body["messages"].push_back(message);
            else system += (system.empty() ? "" : "\n\n") + message["content"].get<std::string>();
        }
        if (!system.empty()) body["system"] = settings.cache ? json::array({cached_block(system)}) : json(system);
        if (taken("temperature")) body["temperature"] = asked.temperature;
        if (taken("top_p") && asked.top_p > 0 && asked.top_p < 1) body["top_p"] = asked.top_p;
        if (taken("top_k") && asked.top_k > 0) body["top_k"] = asked.top_k;
        if (taken("stop") && !asked.stop.empty()) body["stop_sequences"] = asked.stop;
        if (request.streams) body["stream"] = true;
        return body;
    }
    std::optional<Completion> read(const json& reply) const override {
        if (!member(reply, "content").is_array()) return std::nullopt;
        Completion done;
        done.choices.push_back(message_choice(reply));
        done.model = text_at(reply, "model");
        const json& usage = member(reply, "usage");  // input_tokens are those that no cache held
        done.tokens_cached = amount_at(usage, "cache_read_input_tokens");
        done.tokens_written = amount_at(usage, "cache_creation_input_tokens");
        done.tokens_in = amount_at(usage, "input_tokens") + done.tokens_written + done.tokens_cached;
        done.tokens_out = amount_at(usage, "output_tokens");
        done.counted = is_amount_at(usage, "input_tokens") && is_amount_at(usage, "output_tokens");
        return done;
    }
    std::string add(const json& event, json& reply) const override {
        const std::string type = text_at(event, "type");
        if (type == "error") take_over(event, {"error"}, reply);
        if (type == "message_start" && member(event, "message").is_object()) {
            reply = event["message"];
            if (reply["usage"].is_object()) reply["usage"].erase("output_tokens");  // of the first token
        }
        if (type == "content_block_start" || type == "content_block_delta") return add_block(event, reply);
        if (type != "message_delta") return "";
        take_over(member(event, "delta"), {"stop_reason"}, reply);
        if (const json& usage = member(event, "usage"); usage.is_object()) {  // sums so far
            if (!reply["usage"].is_object()) reply["usage"] = json::object();
            for (const auto& [name, count] : usage.items())
                if (!is_amount_at(reply["usage"], name.c_str()) ||
                    amount_at(usage, name.c_str()) > amount_at(reply["usage"], name.c_str()))
                    reply["usage"][name] = count;
        }
        return "";
    }
    bool is_complete(const json& reply) const override { return member(reply, "stop_reason").is_string(); }
    double cache_write() const override { return 1.25; }  // for the five minutes of "ephemeral"
    LeftOut lacks() const override { return {"seed", "min_p", "n", "logprobs", "return_token_ids"}; }
};

}  // namespace

const Protocol& messages() {
    static const Messages protocol;
    return protocol;
}

}  // namespace http
