// Google Gemini generateContent: https://ai.google.dev/api/generate-content.
#include <cctype>
#include <cstdio>
#include "fields.hpp"
#include "http/settings.hpp"
#include "protocols.hpp"

namespace http {
namespace {

using nlohmann::json;

std::string candidate_text(const json& candidate) {
    std::string text;
    for (const json& part : member(member(candidate, "content"), "parts"))
        if (const json& thought = member(part, "thought"); !thought.is_boolean() || !thought.get<bool>())
            text += text_at(part, "text");
    return text;
}

bool is_filter(const std::string& ended) {
    static const std::set<std::string> filters = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"};
    return filters.contains(ended);
}

Choice candidate_choice(const json& candidate) {
    const std::string ended = text_at(candidate, "finishReason");
    if (is_filter(ended))
        return refusal_of("a content filter stopped the answer (" + ended + ")", text_at(candidate, "finishMessage"));
    if (!ended.empty() && ended != "STOP" && ended != "MAX_TOKENS")
        return error_of("the answer did not end by itself (finishReason \"" + ended + "\")",
                        text_at(candidate, "finishMessage"));
    return answer_of(candidate_text(candidate), ended == "MAX_TOKENS", "finishReason \"" + ended + "\"");
}

std::string as_path(const std::string& name) {
    std::string path;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        char escaped[4];
        std::snprintf(escaped, sizeof escaped, "%%%02X", byte);
        path += std::isalnum(byte) || c == '-' || c == '.' || c == '_' ? std::string(1, c) : escaped;
    }
    return path;
}

json parts_of(const json& message) { return {{{"text", message["content"]}}}; }

class GenerateContent : public Protocol {
public:
    const char* name() const override { return "gemini"; }
    const char* answer_name() const override { return "generated content"; }
    std::string path(const std::string& model, bool streams) const override {
        return "/models/" + as_path(model) + (streams ? ":streamGenerateContent?alt=sse" : ":generateContent");
    }
    std::vector<std::string> key_headers(const std::string& key) const override { return {"x-goog-api-key: " + key}; }
    json body(const Settings&, const Request& request) const override {
        const Question& asked = request.question;
        const auto taken = [&](const char* field) { return !request.left_out.contains(field); };
        json body = {{"contents", json::array()}}, system = json::array(), config = json::object();
        for (const json& message : asked.messages) {
            if (message["role"] == "system") system.push_back({{"text", message["content"]}});
            else
                body["contents"].push_back(
                    {{"role", message["role"] == "assistant" ? "model" : "user"}, {"parts", parts_of(message)}});
        }
        if (!system.empty()) body["systemInstruction"] = {{"parts", system}};
        if (asked.max_tokens > 0) config["maxOutputTokens"] = asked.max_tokens;
        if (taken("temperature")) config["temperature"] = asked.temperature;
        if (taken("top_p") && asked.top_p > 0 && asked.top_p < 1) config["topP"] = asked.top_p;
        if (taken("top_k") && asked.top_k > 0) config["topK"] = asked.top_k;
        if (taken("seed")) config["seed"] = (asked.seed + request.member) & 0x7fffffffu;
        if (taken("stop") && !asked.stop.empty()) config["stopSequences"] = asked.stop;
        if (request.count > 1) config["candidateCount"] = request.count;
        body["generationConfig"] = config;
        return body;
    }
    std::optional<Completion> read(const json& reply) const override {
        Completion done;
        const std::string blocked = text_at(member(reply, "promptFeedback"), "blockReason");
        for (const json& candidate : member(reply, "candidates")) done.choices.push_back(candidate_choice(candidate));
        if (!blocked.empty() && done.choices.empty())
            done.choices.push_back(refusal_of("a filter of the provider refused the prompt", blocked));
        if (done.choices.empty()) return std::nullopt;
        done.model = text_at(reply, "modelVersion");
        const json& usage = member(reply, "usageMetadata");
        done.tokens_in = amount_at(usage, "promptTokenCount");
        done.tokens_out = std::max(
            amount_at(usage, "candidatesTokenCount") + amount_at(usage, "thoughtsTokenCount"),
            amount_at(usage, "totalTokenCount") - done.tokens_in - amount_at(usage, "toolUsePromptTokenCount"));
        done.counted = is_amount_at(usage, "promptTokenCount") &&
                       (!usage.contains("candidatesTokenCount") || is_amount_at(usage, "candidatesTokenCount"));
        done.tokens_cached = std::min(amount_at(usage, "cachedContentTokenCount"), done.tokens_in);
        return done;
    }
    std::string add(const json& event, json& reply) const override {
        take_over(event, {"modelVersion", "usageMetadata", "promptFeedback", "error"}, reply);
        std::string first;
        for (const json& piece : member(event, "candidates")) {
            json* const candidate = element_at(reply, "candidates", member(piece, "index"));
            if (!candidate) continue;
            take_over(piece, {"finishReason", "finishMessage"}, *candidate);
            json& parts = (*candidate)["content"]["parts"];
            if (!parts.is_array()) parts = json::array();
            for (const json& part : member(member(piece, "content"), "parts")) parts.push_back(part);
            if (candidate == &reply["candidates"][0]) first += candidate_text(piece);
        }
        return first;
    }
    bool is_complete(const json& reply) const override {
        const json& candidates = member(reply, "candidates");
        for (const json& candidate : candidates)
            if (!member(candidate, "finishReason").is_string()) return false;
        return !candidates.empty() || !text_at(member(reply, "promptFeedback"), "blockReason").empty();
    }
    LeftOut lacks() const override { return {"min_p", "logprobs", "return_token_ids"}; }
};

}  // namespace

const Protocol& generate_content() {
    static const GenerateContent protocol;
    return protocol;
}

}  // namespace http
