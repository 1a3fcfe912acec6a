#include "torch_lm/text/jinja/library/strings.hpp"
#include <algorithm>
#include "torch_lm/text/jinja/values/unicode.hpp"

namespace hone::lm::jinja {
namespace {

std::vector<Text> cut(Budget& budget, const Text& text, const std::vector<Cut>& cuts) {
    budget.charge(text.size() + sizeof(Text) * cuts.size());
    std::vector<Text> parts;
    std::size_t begin = 0;
    for (const Cut& at : cuts) {
        parts.push_back(text.slice(begin, at.begin));
        begin = at.end;
    }
    parts.push_back(text.slice(begin, text.size()));
    return parts;
}

std::size_t space_end(const std::string& bytes, std::size_t at) {
    while (at < bytes.size() && is_space(character_at(bytes, at))) at += character_at(bytes, at).length;
    return at;
}

std::size_t word_end(const std::string& bytes, std::size_t at) {
    while (at < bytes.size() && !is_space(character_at(bytes, at))) at += character_at(bytes, at).length;
    return at;
}

std::vector<Text> split_words(Budget& budget, const Text& text, std::int64_t most) {
    budget.charge(text.size());
    std::vector<Text> words;
    for (std::size_t at = space_end(text.bytes(), 0); at < text.size();) {
        const bool rest = static_cast<std::int64_t>(words.size()) == most;
        const std::size_t end = rest ? text.size() : word_end(text.bytes(), at);
        budget.charge(sizeof(Text));
        words.push_back(text.slice(at, end));
        at = space_end(text.bytes(), end);
    }
    return words;
}

bool is_full(const std::vector<Cut>& found, std::int64_t most) {
    return most >= 0 && static_cast<std::int64_t>(found.size()) >= most;
}

// In linear time, also from the right: there the search runs over mirrored bytes.
std::vector<Cut> search(Budget& budget, std::string bytes, std::string part, std::int64_t most, bool mirrored) {
    if (mirrored) {
        std::reverse(bytes.begin(), bytes.end());
        std::reverse(part.begin(), part.end());
    }
    std::vector<Cut> found;
    for (std::size_t at = 0; !is_full(found, most); at += part.size()) {
        at = find_bytes(bytes, part, at);
        if (at == std::string::npos) break;
        budget.charge(sizeof(Cut));
        found.push_back({at, at + part.size()});
    }
    if (!mirrored) return found;
    for (Cut& c : found) c = {bytes.size() - c.end, bytes.size() - c.begin};
    std::reverse(found.begin(), found.end());
    return found;
}

// Where an empty text is found: in front of each character and at the end.
std::vector<Cut> between_characters(Budget& budget, const std::string& bytes, std::int64_t most) {
    std::vector<Cut> found;
    for (std::size_t at = 0; !is_full(found, most); at += character_at(bytes, at).length) {
        budget.charge(sizeof(Cut));
        found.push_back({at, at});
        if (at == bytes.size()) break;
    }
    return found;
}

}  // namespace

Text strip(const Text& text, const Text* characters, Side side) {
    const std::string& bytes = text.bytes();
    const auto goes = [&](std::size_t at, const Character& c) {
        if (!characters) return is_space(c);
        const std::string_view one = std::string_view(bytes).substr(at, c.length);
        for (std::size_t i = 0, n; i < characters->size(); i += n) {
            n = character_at(characters->bytes(), i).length;
            if (std::string_view(characters->bytes()).substr(i, n) == one) return true;
        }
        return false;
    };
    std::size_t begin = 0, end = bytes.size();
    while (side != Side::right && begin < end && goes(begin, character_at(bytes, begin)))
        begin += character_at(bytes, begin).length;
    while (side != Side::left && begin < end) {
        const Character last = character_before(bytes, end);
        if (last.length > end - begin || !goes(end - last.length, last)) break;
        end -= last.length;
    }
    return text.slice(begin, end);
}

std::vector<Cut> find_all(Budget& budget, const Text& text, const Text& part, std::int64_t most, bool from_right) {
    budget.charge(4 * text.size() + part.size());
    if (!part.size()) return between_characters(budget, text.bytes(), most);
    return search(budget, text.bytes(), part.bytes(), most, from_right);
}

std::vector<Text> split(Budget& budget, const Text& text, const Text* separator, std::int64_t most, bool from_right) {
    if (separator && !separator->size())
        throw Fault("a text cannot be split at an empty text; use |list for its characters");
    if (separator) return cut(budget, text, find_all(budget, text, *separator, most, from_right));
    if (from_right && most >= 0) throw Fault("rsplit needs a separator; give it one");
    return split_words(budget, text, most);
}

std::vector<Text> split_lines(Budget& budget, const Text& text) {
    std::vector<Cut> ends;
    const std::string& bytes = text.bytes();
    for (std::size_t at = 0; at < bytes.size();) {
        const Character c = character_at(bytes, at);
        const std::size_t length = bytes.compare(at, 2, "\r\n") == 0 ? 2 : c.length;
        if (is_line_end(c)) {
            budget.charge(sizeof(Cut));
            ends.push_back({at, at + length});
        }
        at += length;
    }
    std::vector<Text> lines = cut(budget, text, ends);
    if (bytes.empty() || (!ends.empty() && ends.back().end == bytes.size())) lines.pop_back();
    return lines;
}

Text replace(Budget& budget, const Text& text, const Text& old, const Text& fresh, std::int64_t most) {
    return join(budget, cut(budget, text, find_all(budget, text, old, most, false)), fresh);
}

Text join(Budget& budget, const std::vector<Text>& parts, const Text& separator) {
    Text text;
    for (const Text& part : parts) {
        if (&part != &parts.front()) extend(budget, text, separator);
        extend(budget, text, part);
    }
    return text;
}

Value to_list(Budget& budget, const std::vector<Text>& parts, List::Kind kind) {
    std::vector<Value> values;
    for (const Text& part : parts) values.push_back(make_text(budget, part));
    return make_list(budget, std::move(values), kind);
}

}  // namespace hone::lm::jinja
