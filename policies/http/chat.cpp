#include "chat.hpp"
#include <algorithm>
#include "reply_text.hpp"

namespace http {
namespace {

using nlohmann::json;

double number_at(const json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0;
}

// Tokens or money: a budget is kept by adding them up.
double amount_at(const json& object, const char* key) { return std::max(0.0, number_at(object, key)); }

std::vector<std::int32_t> ids_at(const json& object, const char* key) {
    std::vector<std::int32_t> ids;
    for (const json& id : member(object, key)) {
        if (!id.is_number_integer() || id != id.get<std::int32_t>()) return {};  // no vocabulary of ours
        ids.push_back(id.get<std::int32_t>());
    }
    return ids;
}

// A text, or a list of parts of which some are text.
std::string content_of(const json& message) {
    const json& content = member(message, "content");
    if (content.is_string()) return content;
    std::string text;
    if (content.is_array())
        for (const json& part : content) text += text_at(part, "text");
    return text;
}

struct Fault {
    int finish;  // HONE_STOP: none
    std::string reason;
};

// How an answer ends by itself, or by max_tokens, in the words of several servers; "": none is told.
bool is_end(std::string ended) {
    for (char& c : ended) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    static const std::set<std::string> ends = {"",           "stop",          "eos",    "eos_token",
                                               "end_turn",   "stop_sequence", "length", "max_tokens",
                                               "tool_calls", "function_call"};
    return ends.contains(ended);
}

// What the provider or the model did instead of answering. A program may be wrong; these hold no program to judge.
Fault fault_of(const json& choice, const std::string& text) {
    const std::string ended = text_at(choice, "finish_reason"), said = text_at(member(choice, "message"), "refusal");
    const auto with = [](const std::string& words) { return words.empty() ? "" : ": " + words; };
    if (!said.empty() || ended == "refusal")
        return {HONE_REFUSAL, "the model refused" + with(said.empty() ? text : said)};
    if (ended == "content_filter") return {HONE_REFUSAL, "a content filter stopped the answer"};
    if (ended == "insufficient_system_resource")
        return {HONE_ERROR, "the server ran out of resources while it answered"};
    if (ended == "error") return {HONE_ERROR, "the server failed" + with(text_at(member(choice, "error"), "message"))};
    if (!is_end(ended)) return {HONE_ERROR, "the answer did not end by itself (finish_reason \"" + ended + "\")"};
    if (text.find_first_not_of(" \t\r\n") != std::string::npos) return {HONE_STOP, ""};
    return {HONE_ERROR, ended == "length" ? "the answer is empty: max_tokens were spent before its first word; raise "
                                            "max_tokens, or ask for less reasoning"
                                          : "the answer is empty (finish_reason \"" + ended + "\")"};
}

Choice choice_of(const json& from) {
    Choice choice;
    choice.text = content_of(member(from, "message"));
    if (const Fault fault = fault_of(from, choice.text); fault.finish != HONE_STOP)
        return {fault.reason, fault.finish, {}, {}};
    const std::string ended = text_at(from, "finish_reason");
    if (ended == "length" || ended == "max_tokens") choice.finish = HONE_LENGTH;
    choice.ids = ids_at(from, "token_ids");
    for (const json& token : member(member(from, "logprobs"), "content"))
        choice.logp.push_back(static_cast<float>(number_at(token, "logprob")));
    if (!choice.ids.empty() && choice.logp.size() != choice.ids.size()) choice.logp.clear();  // not of the same tokens
    return choice;
}

}  // namespace

Question question_of(const hone_request& request) {
    Question question{request.tag,         request.seed,       json::array(),
                      request.temperature, request.top_p,      request.min_p,
                      request.top_k,       request.max_tokens, {}};
    bool goes_on = false;  // ready-rendered pieces that follow each other are one message
    for (std::uint32_t i = 0; i < request.n; ++i) {
        const std::string role = hone::text(request.messages[i].role), said = hone::text(request.messages[i].text);
        const bool piece = role.empty() || role == "plain";
        if (piece && goes_on) question.messages.back()["content"].get_ref<std::string&>() += said;
        else question.messages.push_back({{"role", piece ? "user" : role}, {"content", said}});
        goes_on = piece;
    }
    for (std::uint32_t i = 0; i < request.n_stop; ++i) question.stop.push_back(hone::text(request.stop[i]));
    return question;
}

bool can_be_left_out(const std::string& field) {
    static const std::set<std::string> fields = {
        "temperature", "top_p", "top_k", "min_p", "seed", "stop", "n", "logprobs", "return_token_ids", "max_tokens"};
    return fields.contains(field);
}

std::string request_body(const Settings& settings, const LeftOut& left_out, const Question& question,
                         std::uint32_t member, std::uint32_t count) {
    const auto taken = [&](const char* field) { return !left_out.contains(field); };
    json body = {{"model", settings.model}, {"messages", question.messages}};
    if (question.max_tokens > 0)
        body[taken("max_tokens") ? "max_tokens" : "max_completion_tokens"] = question.max_tokens;
    if (taken("temperature")) body["temperature"] = question.temperature;
    if (taken("top_p") && question.top_p > 0 && question.top_p < 1) body["top_p"] = question.top_p;
    if (taken("top_k") && question.top_k > 0) body["top_k"] = question.top_k;
    if (taken("min_p") && question.min_p > 0) body["min_p"] = question.min_p;
    if (taken("seed")) body["seed"] = (question.seed + member) & 0x7fffffffu;  // some servers take 32 bits
    if (taken("stop") && !question.stop.empty()) body["stop"] = question.stop;
    if (count > 1) body["n"] = count;
    if (settings.token_ids && taken("logprobs") && taken("return_token_ids"))
        body["logprobs"] = true, body["return_token_ids"] = true;
    body.update(settings.body);
    for (const auto& [field, value] : settings.body.items())
        if (value.is_null()) body.erase(field);
    return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Completion> read_completion(const json& doc) {
    const json& choices = member(doc, "choices");
    if (!choices.is_array() || choices.empty()) return std::nullopt;
    Completion done;
    for (const json& choice : choices) done.choices.push_back(choice_of(choice));
    done.prompt_ids = ids_at(doc, "prompt_token_ids");
    done.model = text_at(doc, "model");
    const json& usage = member(doc, "usage");
    done.tokens_in = amount_at(usage, "prompt_tokens");
    done.tokens_out = amount_at(usage, "completion_tokens");
    done.counted = member(usage, "prompt_tokens").is_number() && member(usage, "completion_tokens").is_number();
    const double cached = std::max(amount_at(member(usage, "prompt_tokens_details"), "cached_tokens"),
                                   amount_at(usage, "prompt_cache_hit_tokens"));
    done.tokens_cached = std::min(cached, done.tokens_in);
    if (member(usage, "cost").is_number()) done.usd = amount_at(usage, "cost");
    return done;
}

}  // namespace http
