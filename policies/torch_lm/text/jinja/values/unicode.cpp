#include "torch_lm/text/jinja/values/unicode.hpp"
#include <utf8proc.h>

namespace hone::lm::jinja {
namespace {

// What is no character has the category of codes that are not assigned.
int category(const Character& c) {
    return c.whole ? utf8proc_category(static_cast<utf8proc_int32_t>(c.code)) : UTF8PROC_CATEGORY_CN;
}

std::string changed(std::string_view character, utf8proc_int32_t (*change)(utf8proc_int32_t)) {
    const Character c = character_at(character, 0);
    if (!c.whole) return std::string(character);
    return utf8_of(static_cast<char32_t>(change(static_cast<utf8proc_int32_t>(c.code))));
}

}  // namespace

Character character_at(std::string_view bytes, std::size_t at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    return byte < 0x80 ? Character{1, true, false, byte} : first_character(bytes.substr(at));
}

Character character_before(std::string_view bytes, std::size_t end) {
    for (std::size_t length = 1; length <= 4 && length <= end; ++length)
        if (const Character c = character_at(bytes.substr(0, end), end - length); c.whole && c.length == length)
            return c;
    return {1, false, false};
}

std::size_t count_characters(std::string_view bytes) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < bytes.size(); at += character_at(bytes, at).length) ++count;
    return count;
}

std::size_t offset_of(std::string_view bytes, std::size_t character) {
    std::size_t at = 0;
    while (character-- > 0 && at < bytes.size()) at += character_at(bytes, at).length;
    return at;
}

bool is_space(const Character& c) { return c.whole && (is_white_space(c.code) || (c.code >= 0x1c && c.code <= 0x1f)); }

bool is_line_end(const Character& c) {
    return c.whole && ((c.code >= 0x0a && c.code <= 0x0d) || (c.code >= 0x1c && c.code <= 0x1e) || c.code == 0x85 ||
                       c.code == 0x2028 || c.code == 0x2029);
}

bool is_upper(const Character& c) { return category(c) == UTF8PROC_CATEGORY_LU; }
bool is_lower(const Character& c) { return category(c) == UTF8PROC_CATEGORY_LL; }
bool is_cased(const Character& c) { return is_upper(c) || is_lower(c) || category(c) == UTF8PROC_CATEGORY_LT; }
bool is_letter(const Character& c) {
    return category(c) >= UTF8PROC_CATEGORY_LU && category(c) <= UTF8PROC_CATEGORY_LO;
}
bool is_digit(const Character& c) { return category(c) == UTF8PROC_CATEGORY_ND; }

bool is_printable(const Character& c) {
    const int kind = category(c);
    const bool blank = kind >= UTF8PROC_CATEGORY_ZS && kind <= UTF8PROC_CATEGORY_ZP;
    const bool hidden = kind == UTF8PROC_CATEGORY_CN || kind >= UTF8PROC_CATEGORY_CC;  // Cc, Cf, Cs, Co
    return c.code == ' ' || (!blank && !hidden);
}

std::string to_upper(std::string_view character) {
    return character == "\u00df" ? "SS" : changed(character, utf8proc_toupper);
}

std::string to_lower(std::string_view character) { return changed(character, utf8proc_tolower); }

}  // namespace hone::lm::jinja
