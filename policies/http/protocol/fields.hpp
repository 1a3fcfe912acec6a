// policies/http/protocol/fields.hpp: what protocols read alike out of a reply.
#pragma once
#include "http/reply_text.hpp"
#include "protocol.hpp"

namespace http {

inline constexpr std::size_t most_answers = 4096;  // of one reply: an index beyond is no answer's

// Whether there is a number, 0 or above, that one request may take: no more than 1e9.
bool is_amount_at(const nlohmann::json& object, const char* key);
// Tokens or money, 0 or above: a budget is kept by adding them up.
double amount_at(const nlohmann::json& object, const char* key);
std::vector<std::int32_t> ids_at(const nlohmann::json& object, const char* key);
std::string lower(std::string text);
bool is_blank(const std::string& text);

// An element of the list object[key], which grows up to it; null where the event's own index is none of an answer.
nlohmann::json* element_at(nlohmann::json& object, const char* key, const nlohmann::json& index);
// Adds a text to the text object[key].
void append(nlohmann::json& object, const char* key, const std::string& more);
// Takes over fields that the event holds and that are not null.
void take_over(const nlohmann::json& event, std::initializer_list<const char*> fields, nlohmann::json& reply);

// An answer that ended by itself or by the limit of tokens; without a text it is an error that says `why_empty` ended
// it. The limit: thoughts may have taken all tokens.
Choice answer_of(std::string text, bool at_limit, const std::string& why_empty);
// With ": " and the words behind, where there are some.
Choice refusal_of(const std::string& reason, const std::string& words = "");
Choice error_of(const std::string& reason, const std::string& words = "");

}  // namespace http
