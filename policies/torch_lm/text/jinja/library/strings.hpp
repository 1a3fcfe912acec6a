// strings.hpp: Python's methods of str, on texts that keep their spans.
#pragma once
#include "torch_lm/text/jinja/run.hpp"

namespace hone::lm::jinja {

enum class Side { left, right, both };
// Takes off characters at its ends: those of `characters`, or white space where that is null.
Text strip(const Text& text, const Text* characters, Side side);
// Cuts at each `separator` (not empty), at most `most` times (-1: always), from the left or from the right; without a
// separator at white space, where no part is empty.
std::vector<Text> split(Budget& budget, const Text& text, const Text* separator, std::int64_t most, bool from_right);
std::vector<Text> split_lines(Budget& budget, const Text& text);
// The separator at which split would cut once; null: it does not occur.
struct Cut {
    std::size_t begin, end;  // bytes of the separator
};
std::vector<Cut> find_all(Budget& budget, const Text& text, const Text& part, std::int64_t most, bool from_right);
Text replace(Budget& budget, const Text& text, const Text& old, const Text& fresh, std::int64_t most);
Text join(Budget& budget, const std::vector<Text>& parts, const Text& separator);

Text upper(Budget& budget, const Text& text);
Text lower(Budget& budget, const Text& text);
Text capitalize(Budget& budget, const Text& text);
// Upper case begins a word. A word begins behind a character that is no letter or, as the filter has it, behind white
// space or one of -({[<.
Text title(Budget& budget, const Text& text, bool as_filter);

Value to_list(Budget& budget, const std::vector<Text>& parts, List::Kind kind = List::Kind::list);

}  // namespace hone::lm::jinja
