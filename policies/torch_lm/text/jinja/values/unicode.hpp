// unicode.hpp: characters as Python's str has them, in UTF-8. Bytes that are no UTF-8 are characters of their own, so
// that every function takes any bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hone::lm::jinja {

struct Character {
    std::int32_t code;   // -1: no UTF-8
    std::size_t length;  // bytes
};
Character character_at(std::string_view bytes, std::size_t at);      // at < bytes.size()
Character character_before(std::string_view bytes, std::size_t end);  // 0 < end <= bytes.size()
std::size_t count_characters(std::string_view bytes);
std::size_t offset_of(std::string_view bytes, std::size_t character);  // at most bytes.size()

bool is_space(std::int32_t code);      // str.isspace
bool is_line_end(std::int32_t code);   // where str.splitlines cuts
bool is_cased(std::int32_t code);      // has an upper or a lower form
bool is_upper(std::int32_t code);
bool is_lower(std::int32_t code);
bool is_letter(std::int32_t code);
bool is_digit(std::int32_t code);
bool is_printable(std::int32_t code);  // repr shows it as it is
// One character for one, but for the German sharp s: Unicode's other expansions (ligatures) stay as they are.
std::string to_upper(std::string_view character);
std::string to_lower(std::string_view character);

}  // namespace hone::lm::jinja
