// OpenAI chat completions: https://platform.openai.com/docs/api-reference/chat. Most servers speak it.
#include "fields.hpp"
#include "http/settings.hpp"
#include "protocols.hpp"

namespace http {
namespace {

using nlohmann::json;

// A text, or a list of parts of which some are text.
std::string content_of(const json& message) {
    const json& content = member(message, "content");
    if (content.is_string()) return content;
    std::string text;
    if (content.is_array())
        for (const json& part : content) text += text_at(part, "text");
    return text;
}

// How an answer ends by itself, or by max_tokens, in the words of several servers; "": none is told.
bool is_end(const std::string& ended) {
    static const std::set<std::string> ends = {"",           "stop",          "eos",    "eos_token",
                                               "end_turn",   "stop_sequence", "length", "max_tokens",
                                               "tool_calls", "function_call"};
    return ends.contains(lower(ended));
}

// A program may be wrong; what is no answer of the model's holds no program to judge.
Choice text_of(const json& choice) {
    const std::string ended = text_at(choice, "finish_reason"), said = text_at(member(choice, "message"), "refusal");
    std::string text = content_of(member(choice, "message"));
    if (!said.empty() || ended == "refusal") return refusal_of("the model refused", said.empty() ? text : said);
    if (ended == "content_filter") return refusal_of("a content filter stopped the answer");
    if (ended == "insufficient_system_resource") return error_of("the server ran out of resources while it answered");
    if (ended == "error") return error_of("the server failed", text_at(member(choice, "error"), "message"));
    if (!is_end(ended)) return error_of("the answer did not end by itself (finish_reason \"" + ended + "\")");
    return answer_of(std::move(text), ended == "length" || ended == "max_tokens", "finish_reason \"" + ended + "\"");
}

Choice choice_of(const json& from) {
    Choice choice = text_of(from);
    if (choice.finish == HONE_REFUSAL || choice.finish == HONE_ERROR) return choice;
    choice.ids = ids_at(from, "token_ids");
    for (const json& token : member(member(from, "logprobs"), "content")) {
        const json& logp = member(token, "logprob");
        choice.logp.push_back(logp.is_number() ? logp.get<float>() : 0);
    }
    if (!choice.ids.empty() && choice.logp.size() != choice.ids.size()) choice.logp.clear();  // not of the same tokens
    return choice;
}

void read_usage(const json& usage, Completion& done) {
    done.tokens_in = amount_at(usage, "prompt_tokens");
    // Thoughts are counted beside the answer by some (xAI): the total, or a part larger than the whole, tells it.
    const double written = amount_at(usage, "completion_tokens"),
                 thoughts = amount_at(member(usage, "completion_tokens_details"), "reasoning_tokens");
    done.tokens_out = std::max(
        {written, amount_at(usage, "total_tokens") - done.tokens_in, thoughts > written ? written + thoughts : 0});
    done.counted = is_amount_at(usage, "prompt_tokens") && is_amount_at(usage, "completion_tokens");
    const double cached = std::max(amount_at(member(usage, "prompt_tokens_details"), "cached_tokens"),
                                   amount_at(usage, "prompt_cache_hit_tokens"));
    done.tokens_cached = std::min(cached, done.tokens_in);
    if (is_amount_at(usage, "cost")) done.usd = amount_at(usage, "cost");
    // OpenRouter, with a key of one's own for the provider behind it: its fee, and what that provider bills
    const json& own_key = member(usage, "is_byok");
    if (done.usd && own_key.is_boolean() && own_key.get<bool>())
        *done.usd += amount_at(member(usage, "cost_details"), "upstream_inference_cost");
}

void append_list(const json& more, json& object, const char* key) {
    if (!more.is_array()) return;
    if (!object[key].is_array()) object[key] = json::array();
    for (const json& one : more) object[key].push_back(one);
}

std::string add_choice(const json& piece, json& choice) {
    const json& delta = member(piece, "delta");
    if (!choice["message"].is_object()) choice["message"] = {{"content", ""}};
    const std::string text = content_of(delta), refusal = text_at(delta, "refusal");
    append(choice["message"], "content", text);
    if (!refusal.empty()) append(choice["message"], "refusal", refusal);
    if (piece.contains("finish_reason")) choice.emplace("finish_reason", nullptr);  // still to come
    take_over(piece, {"finish_reason", "error"}, choice);
    append_list(member(piece, "token_ids"), choice, "token_ids");
    if (const json& more = member(member(piece, "logprobs"), "content"); more.is_array()) {
        if (!choice["logprobs"].is_object()) choice["logprobs"] = json::object();
        append_list(more, choice["logprobs"], "content");
    }
    return text;
}

class ChatCompletions : public Protocol {
public:
    const char* name() const override { return "chat"; }
    const char* answer_name() const override { return "chat completion"; }
    std::string path(const std::string&, bool) const override { return "/chat/completions"; }
    std::vector<std::string> key_headers(const std::string& key) const override {
        return {"Authorization: Bearer " + key};
    }
    json body(const Settings& settings, const Request& request) const override {
        const Question& asked = request.question;
        const auto taken = [&](const char* field) { return !request.left_out.contains(field); };
        json body = {{"model", settings.model}, {"messages", asked.messages}};
        if (asked.max_tokens > 0) body[taken("max_tokens") ? "max_tokens" : "max_completion_tokens"] = asked.max_tokens;
        if (taken("temperature")) body["temperature"] = asked.temperature;
        if (taken("top_p") && asked.top_p > 0 && asked.top_p < 1) body["top_p"] = asked.top_p;
        if (taken("top_k") && asked.top_k > 0) body["top_k"] = asked.top_k;
        if (taken("min_p") && asked.min_p > 0) body["min_p"] = asked.min_p;
        if (taken("seed")) body["seed"] = (asked.seed + request.member) & 0x7fffffffu;  // some servers take 32 bits
        if (taken("stop") && !asked.stop.empty()) body["stop"] = asked.stop;
        if (request.count > 1) body["n"] = request.count;
        if (settings.token_ids && taken("logprobs") && taken("return_token_ids"))
            body["logprobs"] = true, body["return_token_ids"] = true;
        if (request.streams) body["stream"] = true;
        if (request.streams && taken("stream_options")) body["stream_options"] = {{"include_usage", true}};
        return body;
    }
    std::optional<Completion> read(const json& reply) const override {
        const json& choices = member(reply, "choices");
        if (!choices.is_array() || choices.empty()) return std::nullopt;
        Completion done;
        for (const json& choice : choices) done.choices.push_back(choice_of(choice));
        done.prompt_ids = ids_at(reply, "prompt_token_ids");
        done.model = text_at(reply, "model");
        read_usage(member(reply, "usage"), done);
        return done;
    }
    std::string add(const json& event, json& reply) const override {
        take_over(event, {"model", "usage", "error", "prompt_token_ids"}, reply);
        if (text_at(event, "object") == "error" && !event.contains("error")) reply["error"] = event;
        std::string first;
        for (const json& piece : member(event, "choices")) {
            const json& index = member(piece, "index");
            json* const choice = element_at(reply, "choices", index);
            if (!choice) continue;
            const std::string text = add_choice(piece, *choice);
            if (choice == &reply["choices"][0]) first += text;
        }
        return first;
    }
    bool is_complete(const json& reply) const override {
        const json& choices = member(reply, "choices");
        for (const json& choice : choices)
            if (!member(choice, "finish_reason").is_string()) return false;
        return !choices.empty();
    }
    bool awaits_end(const json& reply) const override {
        for (const json& choice : member(reply, "choices"))
            if (choice.contains("finish_reason") && choice["finish_reason"].is_null()) return true;
        return false;
    }
};

}  // namespace

const Protocol& chat_completions() {
    static const ChatCompletions protocol;
    return protocol;
}

}  // namespace http
