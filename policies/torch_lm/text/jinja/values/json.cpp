#include <algorithm>
#include <cmath>
#include <cstdio>
#include "torch_lm/text/jinja/values/operators.hpp"
#include "torch_lm/text/jinja/values/print.hpp"
#include "torch_lm/text/jinja/values/unicode.hpp"

namespace hone::lm::jinja {
namespace {

std::string by_code(char32_t code) {
    char text[16];
    if (code < 0x10000) std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(code));
    else
        std::snprintf(text, sizeof text, "\\u%04x\\u%04x", static_cast<unsigned>(0xd7c0 + (code >> 10)),
                      static_cast<unsigned>(0xdc00 + (code & 0x3ff)));
    return text;
}

std::string quoted(std::string_view bytes, bool ascii) {
    static constexpr std::string_view short_ones = "\"\"\\\\\bb\ff\nn\rr\tt";  // a character, then its letter
    std::string text = "\"";
    for (std::size_t at = 0; at < bytes.size();) {
        const Character c = character_at(bytes, at);
        const std::size_t known = c.length == 1 ? short_ones.find(bytes[at]) : std::string_view::npos;
        if (known != std::string_view::npos && known % 2 == 0) text += {'\\', short_ones[known + 1]};
        else if (c.whole && (c.code < 0x20 || (ascii && c.code > 0x7e))) text += by_code(c.code);
        else text += bytes.substr(at, c.length);
        at += c.length;
    }
    return text + '"';
}

class Writer {
public:
    explicit Writer(const JsonForm& form) : form_(form) {}
    std::string text;

    void write(const Value& value, std::size_t level) {
        if (value.text()) text += quoted(value.text()->bytes(), form_.ascii);
        else if (const List* list = value.list(); list && list->has_index())
            enclose('[', list->items, ']', level, [&](const Value& item) { write(item, level + 1); });
        else if (const Dict* dict = value.dict()) write(*dict, level);
        else if (value.is_number() || value.is<None>()) text += plain(value);
        else throw Fault(type_of(value) + " has no form in JSON; give tojson a dict, a list, a text or a number");
    }

private:
    static std::string plain(const Value& value) {
        if (const bool* flag = value.as<bool>()) return *flag ? "true" : "false";
        if (const std::int64_t* whole = value.as<std::int64_t>()) return std::to_string(*whole);
        if (value.is<None>()) return "null";
        const double number = std::get<double>(value);
        if (std::isfinite(number)) return print_float(number);
        return std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity";
    }
    void write(const Dict& dict, std::size_t level) {
        auto items = dict.items;
        if (form_.sorted)
            std::stable_sort(items.begin(), items.end(),
                             [](const auto& a, const auto& b) { return compare(a.first, b.first) < 0; });
        enclose('{', items, '}', level, [&](const auto& pair) {
            text += quoted(pair.first.text() ? pair.first.text()->bytes() : plain(pair.first), form_.ascii);
            text += form_.key_separator;
            write(pair.second, level + 1);
        });
    }
    template <class Items, class Write>
    void enclose(char open, const Items& items, char close, std::size_t level, Write&& write_item) {
        text += open;
        for (const auto& item : items) {
            if (&item != &items.front()) text += form_.item_separator;
            break_line(level + 1);
            write_item(item);
        }
        if (!items.empty()) break_line(level);
        text += close;
    }
    void break_line(std::size_t level) {
        if (!form_.indents) return;
        text += '\n';
        for (std::size_t i = 0; i < level; ++i) text += form_.indent;
        if (text.size() > most_bytes) throw Fault("the JSON has more than 64 MiB; indent it less");
    }
    const JsonForm& form_;
};

}  // namespace

std::string to_json(Budget& budget, const Value& value, const JsonForm& form) {
    budget.charge(4 * weight(value));
    Writer writer(form);
    writer.write(value, 0);
    return std::move(writer.text);
}

}  // namespace hone::lm::jinja
