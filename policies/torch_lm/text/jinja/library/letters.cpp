// Upper and lower case.
#include "torch_lm/text/jinja/library/strings.hpp"
#include "torch_lm/text/jinja/values/unicode.hpp"

namespace hone::lm::jinja {
namespace {

// Each character by itself, so that it keeps its source. change(its bytes, what it is, number of characters before it)
template <class Change> Text changed(Budget& budget, const Text& text, Change&& change) {
    budget.charge(4 * text.size());
    Text result = text.slice(0, 0);
    std::size_t index = 0;
    for (std::size_t at = 0, length; at < text.size(); at += length) {
        const Character c = character_at(text.bytes(), at);
        length = c.length;
        result.append(change(std::string_view(text.bytes()).substr(at, length), c, index++), text.source_at(at));
    }
    return result;
}

bool begins_words(const Character& c) { return is_space(c) || std::u32string_view(U"-({[<").find(c.code) < 5; }

}  // namespace

Text upper(Budget& budget, const Text& text) {
    return changed(budget, text, [](std::string_view c, const Character&, std::size_t) { return to_upper(c); });
}

Text lower(Budget& budget, const Text& text) {
    return changed(budget, text, [](std::string_view c, const Character&, std::size_t) { return to_lower(c); });
}

Text capitalize(Budget& budget, const Text& text) {
    return changed(budget, text, [](std::string_view c, const Character&, std::size_t i) {
        return i == 0 ? to_upper(c) : to_lower(c);
    });
}

Text title(Budget& budget, const Text& text, bool as_filter) {
    bool begins = true;
    return changed(budget, text, [&](std::string_view bytes, const Character& c, std::size_t) {
        const bool first = std::exchange(begins, as_filter ? begins_words(c) : !is_cased(c));
        return first ? to_upper(bytes) : to_lower(bytes);
    });
}

}  // namespace hone::lm::jinja
