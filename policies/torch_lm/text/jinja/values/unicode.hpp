// unicode.hpp: characters as Python's str has them, in UTF-8. What is no UTF-8 counts as a character too, so that every
// function takes any bytes.
#pragma once
#include <string>
#include <string_view>
#include "torch_lm/text/utf8.hpp"

namespace hone::lm::jinja {

Character character_at(std::string_view bytes, std::size_t at);       // at < bytes.size()
Character character_before(std::string_view bytes, std::size_t end);  // 0 < end <= bytes.size()
std::size_t count_characters(std::string_view bytes);
std::size_t offset_of(std::string_view bytes, std::size_t character);  // at most bytes.size()

bool is_space(const Character& c);     // str.isspace
bool is_line_end(const Character& c);  // where str.splitlines cuts
bool is_cased(const Character& c);     // has an upper or a lower form
bool is_upper(const Character& c);
bool is_lower(const Character& c);
bool is_letter(const Character& c);
bool is_digit(const Character& c);
bool is_printable(const Character& c);  // repr shows it as it is
// One character for one, but for the German sharp s: Unicode's other expansions (ligatures) stay as they are.
std::string to_upper(std::string_view character);
std::string to_lower(std::string_view character);

}  // namespace hone::lm::jinja
