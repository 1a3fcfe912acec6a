#include "torch_lm/text/jinja/values/print.hpp"
#include <charconv>
#include <cmath>
#include <cstdio>
#include "torch_lm/text/jinja/values/operators.hpp"
#include "torch_lm/text/jinja/values/unicode.hpp"

namespace hone::lm::jinja {
namespace {

std::string escaped(const Character& c, std::string_view bytes) {
    if (c.code == '\n') return "\\n";
    if (c.code == '\r') return "\\r";
    if (c.code == '\t') return "\\t";
    char text[16];
    const unsigned value = c.whole ? c.code : static_cast<unsigned char>(bytes[0]);
    std::snprintf(text, sizeof text, value < 0x100 ? "\\x%02x" : value < 0x10000 ? "\\u%04x" : "\\U%08x", value);
    return text;
}

std::string quoted(std::string_view bytes) {
    const bool single = bytes.find('\'') == std::string_view::npos || bytes.find('"') != std::string_view::npos;
    const char quote = single ? '\'' : '"';
    std::string text(1, quote);
    for (std::size_t at = 0; at < bytes.size();) {
        const Character c = character_at(bytes, at);
        const std::string_view character = bytes.substr(at, c.length);
        if (c.code == static_cast<unsigned char>(quote) || c.code == '\\') text += '\\';
        text += is_printable(c) ? std::string(character) : escaped(c, character);
        at += c.length;
    }
    return text + quote;
}

std::string repr(const Value& value);

template <class Items, class Print>
std::string listed(const char* open, const Items& items, const char* close, Print&& print) {
    std::string text = open;
    for (const auto& item : items) {
        if (&item != &items.front()) text += ", ";
        text += print(item);
    }
    return text + close;
}

std::string repr_list(const List& list) {
    if (list.kind == List::Kind::tuple) return listed("(", list.items, list.items.size() == 1 ? ",)" : ")", repr);
    const std::string text = listed("[", list.items, "]", repr);
    const bool is_view = list.has_length() && !list.has_index();
    return is_view ? type_of(list) + "(" + text + ")" : text;
}

std::string repr(const Value& value) {
    if (const bool* flag = value.as<bool>()) return *flag ? "True" : "False";
    if (const std::int64_t* whole = value.as<std::int64_t>()) return std::to_string(*whole);
    if (const double* real = value.as<double>()) return print_float(*real);
    if (const Text* text = value.text()) return quoted(text->bytes());
    if (const List* list = value.list()) return repr_list(*list);
    if (const Dict* dict = value.dict())
        return listed("{", dict->items, "}",
                      [](const auto& pair) { return repr(pair.first) + ": " + repr(pair.second); });
    if (const Object* object = value.object()) return std::string("<") + object->type() + ">";
    return value.is<None>() ? "None" : "Undefined";
}

}  // namespace

std::string print_float(double number) {
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
    char digits[64];
    const double size = std::fabs(number);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto form = plain ? std::chars_format::fixed : std::chars_format::scientific;
    std::string text(digits, std::to_chars(digits, digits + sizeof digits, number, form).ptr);
    return plain && text.find('.') == std::string::npos ? text + ".0" : text;
}

Text to_text(Budget& budget, const Value& value) {
    if (const Text* text = value.text()) return *text;
    if (value.is<Undefined>()) return {};
    budget.charge(2 * weight(value));
    return Text(repr(value), foreign_source(value));
}

}  // namespace hone::lm::jinja
