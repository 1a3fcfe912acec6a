// policies/http/reply_text.hpp: a server's JSON, read as far as that can be done honestly. Bytes that are no UTF-8 and
// halves of surrogate pairs, which some servers cut from the middle of a character, are read as U+FFFD.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace http {

struct ReadText {
    nlohmann::json document;  // discarded: no JSON, see fault
    std::string fault;        // "at byte 17: invalid literal"
};
ReadText read_text(const std::string& body);

// Where an answer begins behind "<think>...</think>"; its end, where the reasoning does not end.
std::size_t begin_of_answer(std::string_view text);

// What is not there, or of another type, is null and "".
const nlohmann::json& member(const nlohmann::json& object, const char* key);
std::string text_at(const nlohmann::json& object, const char* key);

}  // namespace http
