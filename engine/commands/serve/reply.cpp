#include "commands/serve/reply.hpp"
#include <chrono>
#include <cmath>

namespace hone::serve {
namespace {

// The text of a single token may be no text (a part of a character): the id stands for it, as vLLM writes it.
std::string token_name(const Answer& answer, std::size_t i) {
    return i < answer.ids.size() ? "token_id:" + std::to_string(answer.ids[i]) : "";
}

Json chat_logprobs(const Answer& answer) {
    Json list = Json::array();
    for (std::size_t i = 0; i < answer.logp.size(); ++i)
        list.push_back({{"token", token_name(answer, i)},
                        {"logprob", answer.logp[i]},
                        {"bytes", nullptr},
                        {"top_logprobs", Json::array()}});
    return {{"content", list}};
}

Json completion_logprobs(const Answer& answer) {
    Json tokens = Json::array();
    for (std::size_t i = 0; i < answer.logp.size(); ++i) tokens.push_back(token_name(answer, i));
    return {{"tokens", tokens}, {"token_logprobs", answer.logp}, {"top_logprobs", nullptr}, {"text_offset", nullptr}};
}

// Null where the policy cannot tell how many tokens an answer had: 0 would be read as "nothing was used".
Json usage_of(const std::vector<Answer>& answers) {
    double in = 0, out = 0;
    for (const Answer& answer : answers) {
        const double written = completion_tokens(answer);
        if (written == 0 && !answer.text.empty()) return nullptr;
        in += prompt_tokens(answer);
        out += written;
    }
    if (in == 0) return nullptr;  // no prompt is without tokens
    return {{"prompt_tokens", std::llround(in)},
            {"completion_tokens", std::llround(out)},
            {"total_tokens", std::llround(in) + std::llround(out)}};
}

const char* finish_of(const Answer& answer) { return answer.finish == "length" ? "length" : "stop"; }

}  // namespace

double prompt_tokens(const Answer& answer) {
    if (answer.prompt_ids.empty()) return answer.tokens_in;
    return answer.member == 0 ? static_cast<double>(answer.prompt_ids.size()) : 0;
}

double completion_tokens(const Answer& answer) {
    return answer.ids.empty() ? answer.tokens_out : static_cast<double>(answer.ids.size());
}

Replies::Replies(const Asked& asked, const Served& served, std::string id)
    : asked_(asked),
      served_(served),
      id_(std::move(id)),
      created_(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())) {}

Json Replies::head(bool chunk) const {
    const char* const object = !asked_.chat ? "text_completion" : chunk ? "chat.completion.chunk" : "chat.completion";
    return {{"id", (asked_.chat ? "chatcmpl-" : "cmpl-") + id_},
            {"object", object},
            {"created", created_},
            {"model", served_.model}};
}

void Replies::add_tokens(const Answer& answer, Json& choice) const {
    if (asked_.logprobs) choice["logprobs"] = asked_.chat ? chat_logprobs(answer) : completion_logprobs(answer);
    if (asked_.ids) choice["token_ids"] = answer.ids;
}

Json Replies::choice(const Answer& answer) const {
    Json choice = {{"index", answer.member}, {"finish_reason", finish_of(answer)}, {"logprobs", nullptr}};
    if (asked_.chat) choice["message"] = {{"role", "assistant"}, {"content", answer.text}, {"refusal", nullptr}};
    else choice["text"] = answer.text;
    add_tokens(answer, choice);
    return choice;
}

Json Replies::whole(const std::vector<Answer>& answers) const {
    Json reply = head(false);
    reply["choices"] = Json::array();
    for (const Answer& answer : answers) reply["choices"].push_back(choice(answer));
    reply["usage"] = usage_of(answers);
    if (asked_.ids && !answers.empty()) reply["prompt_token_ids"] = answers[0].prompt_ids;
    return reply;
}

Json Replies::chunk(Json choice) const {
    Json chunk = head(true);
    chunk["choices"] = Json::array({std::move(choice)});
    if (asked_.usage) chunk["usage"] = nullptr;
    return chunk;
}

Json Replies::first(std::uint32_t member) const {
    return chunk({{"index", member}, {"delta", {{"role", "assistant"}, {"content", ""}}}, {"finish_reason", nullptr}});
}

Json Replies::piece(std::uint32_t member, const std::string& text) const {
    Json choice = {{"index", member}, {"finish_reason", nullptr}};
    if (asked_.chat) choice["delta"] = {{"content", text}};
    else choice["text"] = text;
    return chunk(std::move(choice));
}

Json Replies::last(const Answer& answer, const std::string& sent) const {
    const std::string rest = answer.text.starts_with(sent) ? answer.text.substr(sent.size()) : "";
    Json choice = {{"index", answer.member}, {"finish_reason", finish_of(answer)}};
    if (asked_.chat) choice["delta"] = rest.empty() ? Json::object() : Json{{"content", rest}};
    else choice["text"] = rest;
    add_tokens(answer, choice);
    Json reply = chunk(std::move(choice));
    if (asked_.ids && answer.member == 0) reply["prompt_token_ids"] = answer.prompt_ids;
    return reply;
}

Json Replies::usage(const std::vector<Answer>& answers) const {
    Json reply = head(true);
    reply["choices"] = Json::array();
    reply["usage"] = usage_of(answers);
    return reply;
}

}  // namespace hone::serve
