// tables.hpp: where the tokenizers library's Unicode data differ from those of PCRE2 and utf8proc, whose versions are
// the machine's: ids must not depend on them.
#pragma once

namespace hone::lm {

struct Range {
    char32_t first, last;
};
struct StandIn {
    char32_t first, last, by;
};

// An older character of the same category and the same length in UTF-8 for one that an old PCRE2 does not know (Unicode
// 15 and 16) or sees otherwise; any other character stands for itself.
char32_t stand_in(char32_t c);
// A combining mark that the library, whose normalization is of Unicode 9, neither reorders nor composes.
bool is_late_mark(char32_t c);

}  // namespace hone::lm
