// Escapes in the strings of templates, as Python has them.
#include <charconv>
#include "torch_lm/text/jinja/syntax/lexer.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm::jinja {
namespace {

bool spell(std::uint32_t code, std::string& text) {
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    text += utf8_of(code);
    return true;
}

// A number of `digits` digits at the front of `rest`, which it takes off.
bool take_code(std::string_view& rest, std::size_t digits, int base, std::string& text) {
    std::uint32_t code = 0;
    const std::string_view number = rest.substr(0, digits);
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), code, base);
    const auto read = static_cast<std::size_t>(stop - number.data());
    if (error != std::errc() || (base == 16 && read != digits)) return false;
    rest.remove_prefix(read);
    return spell(code, text);
}

// Behind a backslash.
bool take_escape(std::string_view& rest, std::string& text) {
    static constexpr std::string_view letters = "ntr'\"\\abfv", meant = "\n\t\r'\"\\\a\b\f\v";
    const char c = rest[0];
    if (c >= '0' && c <= '7') return take_code(rest, 3, 8, text);
    rest.remove_prefix(1);
    if (const std::size_t known = letters.find(c); known != std::string_view::npos) text += meant[known];
    else if (c == 'x') return take_code(rest, 2, 16, text);
    else if (c == 'u') return take_code(rest, 4, 16, text);
    else if (c == 'U') return take_code(rest, 8, 16, text);
    else if (c == 'N') return false;
    else if (c != '\n') text += {'\\', c};
    return true;
}

}  // namespace

bool unescape(std::string_view literal, std::string& text) {
    for (std::string_view rest = literal.substr(1, literal.size() - 2); !rest.empty();) {
        const bool escapes = rest[0] == '\\' && rest.size() > 1;
        if (!escapes) text += rest[0];
        rest.remove_prefix(1);
        if (escapes && !take_escape(rest, text)) return false;
    }
    return true;
}

}  // namespace hone::lm::jinja
