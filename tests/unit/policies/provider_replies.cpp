#include "provider_replies.hpp"

namespace hone::test {
namespace {

std::string event(const Json& data, const std::string& name = "") {
    return (name.empty() ? "" : "event: " + name + "\n") + "data: " + data.dump() + "\n\n";
}

// A text in up to three pieces.
std::vector<std::string> pieces_of(const std::string& text) {
    const std::size_t third = text.size() / 3;
    if (third == 0) return {text};
    return {text.substr(0, third), text.substr(third, third), text.substr(2 * third)};
}

Json chunk(const Json& request, const Json& choices) {
    return {{"id", "c"}, {"object", "chat.completion.chunk"}, {"model", request["model"]}, {"choices", choices}};
}

ProviderReply chat(const Json& request, const std::string& text) {
    const int count = request.value("n", 1);
    ProviderReply reply{completion(text, count), {}};
    reply.whole["model"] = request["model"];
    for (int i = 0; i < count; ++i) {
        const auto add = [&](const Json& delta, const Json& finish) {
            reply.events.push_back(
                event(chunk(request, {{{"index", i}, {"delta", delta}, {"finish_reason", finish}}})));
        };
        add({{"role", "assistant"}, {"content", ""}}, nullptr);
        for (const std::string& piece : pieces_of(text)) add({{"content", piece}}, nullptr);
        add(Json::object(), "stop");
    }
    if (request.contains("stream_options")) {
        Json last = chunk(request, Json::array());
        last["usage"] = reply.whole["usage"];
        reply.events.push_back(event(last));
    }
    reply.events.push_back("data: [DONE]\n\n");
    return reply;
}

ProviderReply responses(const Json& request, const std::string& text) {
    const Json part = {{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}};
    const Json whole = {{"id", "resp_1"},
                        {"object", "response"},
                        {"status", "completed"},
                        {"error", nullptr},
                        {"model", request["model"]},
                        {"output",
                         {{{"type", "reasoning"}, {"summary", Json::array()}},
                          {{"type", "message"}, {"role", "assistant"}, {"content", {part}}}}},
                        {"usage",
                         {{"input_tokens", 10},
                          {"input_tokens_details", {{"cached_tokens", 4}}},
                          {"output_tokens", 5},
                          {"output_tokens_details", {{"reasoning_tokens", 2}}}}}};
    ProviderReply reply{whole, {}};
    const auto add = [&](const std::string& type, Json data) {
        data["type"] = type;
        reply.events.push_back(event(data, type));
    };
    add("response.created", {{"response", {{"status", "in_progress"}}}});
    for (const std::string& piece : pieces_of(text)) add("response.output_text.delta", {{"delta", piece}});
    add("response.output_text.done", {{"text", text}});
    add("response.completed", {{"response", whole}});
    return reply;
}

ProviderReply messages(const Json& request, const std::string& text) {
    const Json in = {{"input_tokens", 6}, {"cache_creation_input_tokens", 0}, {"cache_read_input_tokens", 4}};
    Json whole = {{"id", "msg_1"},
                  {"type", "message"},
                  {"role", "assistant"},
                  {"model", request["model"]},
                  {"content", {{{"type", "thinking"}, {"thinking", "hm"}}, {{"type", "text"}, {"text", text}}}},
                  {"stop_reason", "end_turn"},
                  {"stop_sequence", nullptr},
                  {"usage", in}};
    ProviderReply reply{whole, {}};
    reply.whole["usage"]["output_tokens"] = 5;
    const auto add = [&](const std::string& type, Json data) {
        data["type"] = type;
        reply.events.push_back(event(data, type));
    };
    whole["content"] = Json::array();
    whole["stop_reason"] = nullptr;
    whole["usage"]["output_tokens"] = 1;
    add("message_start", {{"message", whole}});
    add("content_block_start", {{"index", 0}, {"content_block", {{"type", "thinking"}, {"thinking", ""}}}});
    add("ping", Json::object());
    add("content_block_delta", {{"index", 0}, {"delta", {{"type", "thinking_delta"}, {"thinking", "hm"}}}});
    add("content_block_stop", {{"index", 0}});
    add("content_block_start", {{"index", 1}, {"content_block", {{"type", "text"}, {"text", ""}}}});
    for (const std::string& piece : pieces_of(text))
        add("content_block_delta", {{"index", 1}, {"delta", {{"type", "text_delta"}, {"text", piece}}}});
    add("content_block_stop", {{"index", 1}});
    add("message_delta", {{"delta", {{"stop_reason", "end_turn"}}}, {"usage", {{"output_tokens", 5}}}});
    add("message_stop", Json::object());
    return reply;
}

ProviderReply gemini(const std::string& text) {
    const Json thought = {{"text", "hm"}, {"thought", true}};
    const Json usage = {{"promptTokenCount", 10},
                        {"cachedContentTokenCount", 4},
                        {"candidatesTokenCount", 3},
                        {"thoughtsTokenCount", 2}};
    const auto of = [&](const Json& parts) {
        return Json{{"candidates", {{{"index", 0}, {"content", {{"role", "model"}, {"parts", parts}}}}}},
                    {"usageMetadata", usage},
                    {"modelVersion", "gpt-test"}};
    };
    ProviderReply reply{of(Json::array({thought, {{"text", text}}})), {}};
    reply.whole["candidates"][0]["finishReason"] = "STOP";
    reply.events.push_back(event(of(Json::array({thought}))));
    for (const std::string& piece : pieces_of(text))
        reply.events.push_back(event(of(Json::array({{{"text", piece}}}))));
    Json last = of(Json::array());
    last["candidates"][0]["finishReason"] = "STOP";
    reply.events.push_back(event(last));
    return reply;
}

}  // namespace

ProviderReply provider_reply(const std::string& target, const Json& request, const std::string& text) {
    if (target.find("/responses") != std::string::npos) return responses(request, text);
    if (target.find("/messages") != std::string::npos) return messages(request, text);
    return target.find("enerateContent") != std::string::npos ? gemini(text) : chat(request, text);
}

bool wants_stream(const std::string& target, const Json& request) {
    return target.find(":streamGenerateContent") != std::string::npos ||
           (request.is_object() && request.value("stream", false));
}

Json completion(const std::string& text, int count) {
    Json choices = Json::array();
    for (int i = 0; i < count; ++i)
        choices.push_back(
            {{"index", i}, {"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", "stop"}});
    return {{"id", "c"},
            {"object", "chat.completion"},
            {"model", "scripted-1"},
            {"choices", choices},
            {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 5 * count}}}};
}

}  // namespace hone::test
