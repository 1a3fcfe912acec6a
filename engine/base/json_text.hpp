// base/json_text.hpp: JSON out of text, with errors in plain words.
#pragma once
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include "base/json.hpp"

namespace hone {

// Throws Error(input): `place: is no JSON: line 2, column 7: unexpected end of input; CURE`.
Json parse_json(std::string_view text, const std::string& place, const std::string& cure = {});
// Of a stranger's text: whoever copies or writes a document that is nested without bound runs out of stack. Throws
// Json::exception, and TooDeep for more than deepest_json lists and objects within each other.
constexpr int deepest_json = 64;
struct TooDeep : std::runtime_error {
    TooDeep();
};
Json parse_strange_json(std::string_view text);
// What an exception says, for people: without the JSON library's own name of the error.
std::string plain_words(const std::exception&);

}  // namespace hone
