#include "chat.hpp"
#include <algorithm>

namespace http {
namespace {

using nlohmann::json;

std::string text_at(const json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                                                 : std::string();
}

double number_at(const json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0;
}

// Tokens or money: a budget is kept by adding them up.
double amount_at(const json& object, const char* key) { return std::max(0.0, number_at(object, key)); }

const json& member(const json& object, const char* key) {
    static const json none;
    return object.is_object() && object.contains(key) ? object[key] : none;
}

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

int finish_of(const json& choice) {
    const std::string reason = text_at(choice, "finish_reason");
    if (reason == "length" || reason == "max_tokens") return HONE_LENGTH;
    if (reason == "content_filter" || reason == "refusal" || !text_at(member(choice, "message"), "refusal").empty())
        return HONE_REFUSAL;
    return reason == "insufficient_system_resource" ? HONE_ERROR : HONE_STOP;
}

Choice choice_of(const json& from) {
    Choice choice;
    choice.text = content_of(member(from, "message"));
    choice.finish = finish_of(from);
    if (choice.finish == HONE_REFUSAL && choice.text.empty()) choice.text = text_at(member(from, "message"), "refusal");
    choice.ids = ids_at(from, "token_ids");
    for (const json& token : member(member(from, "logprobs"), "content"))
        choice.logp.push_back(static_cast<float>(number_at(token, "logprob")));
    if (!choice.ids.empty() && choice.logp.size() != choice.ids.size()) choice.logp.clear();  // not of the same tokens
    return choice;
}

}  // namespace

Question question_of(const hone_request& request, const hone::Host& host) {
    Question question{request.tag, request.seed, json::array(), request.temperature, request.top_p, request.max_tokens,
                      {}};
    bool goes_on = false;  // ready-rendered pieces that follow each other are one message
    for (std::uint32_t i = 0; i < request.n; ++i) {
        const std::string role = hone::text(request.messages[i].role), said = hone::text(request.messages[i].text);
        const bool piece = role.empty() || role == "plain";
        if (piece && goes_on) question.messages.back()["content"].get_ref<std::string&>() += said;
        else question.messages.push_back({{"role", piece ? "user" : role}, {"content", said}});
        goes_on = piece;
    }
    const hone::Doc extra = host.doc(request.extra);
    if (const std::string one = extra.text("stop"); !one.empty()) question.stop.push_back(one);
    for (long i = 0; i < extra.count("stop"); ++i) question.stop.push_back(extra.text("stop." + std::to_string(i)));
    return question;
}

std::string Dialect::drop(const std::string& field) {
    const auto off = [&](bool& flag) { return std::exchange(flag, false) ? field : std::string(); };
    if (field == "temperature") return off(temperature);
    if (field == "top_p") return off(top_p);
    if (field == "seed") return off(seed);
    if (field == "stop") return off(stop);
    if (field == "n") return off(several);
    if (field == "logprobs" || field == "return_token_ids") return off(logprobs);
    if (field == "max_tokens" && !completion_limit) return completion_limit = true, field;
    return {};
}

std::string request_body(const Settings& settings, const Dialect& dialect, const Question& question,
                         std::uint32_t member, std::uint32_t count) {
    json body = {{"model", settings.model}, {"messages", question.messages}};
    if (question.max_tokens > 0)
        body[dialect.completion_limit ? "max_completion_tokens" : "max_tokens"] = question.max_tokens;
    if (dialect.temperature) body["temperature"] = question.temperature;
    if (dialect.top_p && question.top_p > 0 && question.top_p < 1) body["top_p"] = question.top_p;
    if (dialect.seed) body["seed"] = (question.seed + member) & 0x7fffffffu;  // some servers take 32 bits
    if (dialect.stop && !question.stop.empty()) body["stop"] = question.stop;
    if (count > 1) body["n"] = count;
    if (dialect.logprobs) body["logprobs"] = true, body["return_token_ids"] = true;
    body.update(settings.body);
    return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Completion> read_completion(const std::string& body) {
    const json doc = json::parse(body, nullptr, false);
    const json& choices = member(doc, "choices");
    if (!choices.is_array() || choices.empty()) return std::nullopt;
    Completion done;
    for (const json& choice : choices) done.choices.push_back(choice_of(choice));
    done.prompt_ids = ids_at(doc, "prompt_token_ids");
    done.model = text_at(doc, "model");
    const json& usage = member(doc, "usage");
    done.tokens_in = amount_at(usage, "prompt_tokens");
    done.tokens_out = amount_at(usage, "completion_tokens");
    const double cached = std::max(amount_at(member(usage, "prompt_tokens_details"), "cached_tokens"),
                                   amount_at(usage, "prompt_cache_hit_tokens"));
    done.tokens_cached = std::min(cached, done.tokens_in);
    if (member(usage, "cost").is_number()) done.usd = amount_at(usage, "cost");
    return done;
}

Complaint read_complaint(const std::string& body) {
    const json doc = json::parse(body, nullptr, false);
    const json& error = member(doc.is_array() && !doc.empty() ? doc[0] : doc, "error");
    if (error.is_string()) return {error.get<std::string>(), "", ""};
    if (!error.is_object()) return {body.substr(0, 200), "", ""};
    const std::string code = text_at(error, "code");
    return {text_at(error, "message"), text_at(error, "param"), code.empty() ? text_at(error, "type") : code};
}

}  // namespace http
