// utf8.hpp: sampled tokens may cut characters anywhere, yet text that leaves the policy is valid UTF-8.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace hone::lm {

// What stands at the start of non-empty bytes: a character, or the longest start of one that the following byte
// breaks (Unicode 15, section 3.9, "maximal subparts"; at least one byte).
struct Character {
    std::size_t length;
    bool whole;
    bool cut;           // the bytes end before the character does: more of them may complete it
    char32_t code = 0;  // of a whole one
};
Character first_character(std::string_view bytes);

// Each maximal invalid stretch of a sequence becomes one U+FFFD.
std::string repair_utf8(std::string_view bytes);
// The length of bytes without a character that is only begun at their end.
std::size_t complete_length(std::string_view bytes);
// The start of a foreign text, for an error: the whole may be megabytes.
std::string first_words(const std::string& text);
std::string utf8_of(char32_t code);
// White space by Unicode's property White_Space.
bool is_white_space(char32_t code);

}  // namespace hone::lm
