// Upper and lower case.
#include "torch_lm/text/jinja/library/strings.hpp"
#include "torch_lm/text/jinja/values/unicode.hpp"

namespace hone::lm::jinja {
namespace {

// Each character by itself, so that it keeps its source. change(character, its code, number of characters before it)
template <class Change> Text changed(Budget& budget, const Text& text, Change&& change) {
    budget.charge(4 * text.size());
    Text result = text.slice(0, 0);
    std::size_t index = 0;
    for (std::size_t at = 0, length; at < text.size(); at += length) {
        const Character c = character_at(text.bytes(), at);
        length = c.length;
        result.append(change(std::string_view(text.bytes()).substr(at, length), c.code, index++), text.source_at(at));
    }
    return result;
}

bool begins_words(std::int32_t code) {
    return is_space(code) || code == '-' || code == '(' || code == '{' || code == '[' || code == '<';
}

}  // namespace

Text upper(Budget& budget, const Text& text) {
    return changed(budget, text, [](std::string_view c, std::int32_t, std::size_t) { return to_upper(c); });
}

Text lower(Budget& budget, const Text& text) {
    return changed(budget, text, [](std::string_view c, std::int32_t, std::size_t) { return to_lower(c); });
}

Text capitalize(Budget& budget, const Text& text) {
    return changed(budget, text,
                   [](std::string_view c, std::int32_t, std::size_t i) { return i == 0 ? to_upper(c) : to_lower(c); });
}

Text title(Budget& budget, const Text& text, bool as_filter) {
    bool begins = true;
    return changed(budget, text, [&](std::string_view c, std::int32_t code, std::size_t) {
        const bool first = std::exchange(begins, as_filter ? begins_words(code) : !is_cased(code));
        return first ? to_upper(c) : to_lower(c);
    });
}

}  // namespace hone::lm::jinja
