// matchable.hpp: the text that a regular expression looks at in place of the real one.
#pragma once
#include <string>
#include <string_view>

namespace hone::lm {

// A valid UTF-8 text of the same length, character below character, in which every PCRE2 finds what the tokenizers
// library finds in the real one: newer characters are replaced by older ones of their category, and bytes that are not
// UTF-8 by a control character. The view is `text` itself where nothing differs, else `hold`.
std::string_view matchable(std::string_view text, std::string& hold);

}  // namespace hone::lm
