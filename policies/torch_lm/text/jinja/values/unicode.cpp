#include "torch_lm/text/jinja/values/unicode.hpp"
#include <utf8proc.h>
#include <algorithm>

namespace hone::lm::jinja {
namespace {

bool goes_on(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

std::string spell(std::int32_t code) {
    utf8proc_uint8_t bytes[4];
    const auto length = utf8proc_encode_char(code, bytes);
    return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
}

int category(std::int32_t code) { return code < 0 ? UTF8PROC_CATEGORY_CN : utf8proc_category(code); }

}  // namespace

Character character_at(std::string_view bytes, std::size_t at) {
    if (static_cast<unsigned char>(bytes[at]) < 0x80) return {bytes[at], 1};
    utf8proc_int32_t code = -1;
    const auto* from = reinterpret_cast<const utf8proc_uint8_t*>(bytes.data() + at);
    const auto length = utf8proc_iterate(from, static_cast<utf8proc_ssize_t>(std::min<std::size_t>(4, bytes.size() - at)), &code);
    return length > 0 ? Character{code, static_cast<std::size_t>(length)} : Character{-1, 1};
}

Character character_before(std::string_view bytes, std::size_t end) {
    for (std::size_t length = 2; length <= 4 && length <= end && goes_on(bytes[end - length + 1]); ++length)
        if (const Character c = character_at(bytes, end - length); c.length == length) return c;
    const Character last = character_at(bytes.substr(0, end), end - 1);
    return {last.code, 1};
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

bool is_space(std::int32_t code) {
    if (code < 0x80) return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20);
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

bool is_line_end(std::int32_t code) {
    return (code >= 0x0a && code <= 0x0d) || (code >= 0x1c && code <= 0x1e) || code == 0x85 || code == 0x2028 ||
           code == 0x2029;
}

bool is_upper(std::int32_t code) { return category(code) == UTF8PROC_CATEGORY_LU; }
bool is_lower(std::int32_t code) { return category(code) == UTF8PROC_CATEGORY_LL; }
bool is_cased(std::int32_t code) {
    return is_upper(code) || is_lower(code) || category(code) == UTF8PROC_CATEGORY_LT;
}
bool is_letter(std::int32_t code) {
    const int c = category(code);
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO;
}
bool is_digit(std::int32_t code) { return category(code) == UTF8PROC_CATEGORY_ND; }

bool is_printable(std::int32_t code) {
    const int c = category(code);
    const bool blank = c == UTF8PROC_CATEGORY_ZS || c == UTF8PROC_CATEGORY_ZL || c == UTF8PROC_CATEGORY_ZP;
    const bool hidden = c == UTF8PROC_CATEGORY_CC || c == UTF8PROC_CATEGORY_CF || c == UTF8PROC_CATEGORY_CS ||
                        c == UTF8PROC_CATEGORY_CO || c == UTF8PROC_CATEGORY_CN;
    return code == ' ' || (!blank && !hidden);
}

std::string to_upper(std::string_view character) {
    const std::int32_t code = character_at(character, 0).code;
    if (code == 0xdf) return "SS";
    return code < 0 ? std::string(character) : spell(utf8proc_toupper(code));
}

std::string to_lower(std::string_view character) {
    const std::int32_t code = character_at(character, 0).code;
    return code < 0 ? std::string(character) : spell(utf8proc_tolower(code));
}

}  // namespace hone::lm::jinja
