// base/json_text.hpp: JSON out of text, with errors in plain words.
#pragma once
#include <exception>
#include <string>
#include <string_view>
#include "base/json.hpp"

namespace hone {

// Throws Error(input): `place: is no JSON: line 2, column 7: unexpected end of input; CURE`.
Json parse_json(std::string_view text, const std::string& place, const std::string& cure = {});
// What an exception says, for people: without the JSON library's own name of the error.
std::string plain_words(const std::exception&);

}  // namespace hone
