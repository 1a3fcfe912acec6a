// domain/canonical.hpp: a program as later prompts may show it. What one candidate wrote becomes the reading matter of the next
// (contrastive prompts), so it may hold nothing but the program: no comment, no text, no sentence made of names. Judging and evidence use
// the raw text.
#pragma once
#include <string>

namespace hone {

constexpr std::size_t longest_word = 24;  // bytes; longer names become name1, name2, ...
constexpr std::size_t most_words = 3;     // names in a row, with nothing but blanks and keywords between them; C++ has no use for more

// The same program without comments and dead text, in its own lines, blanks single (indentation stays, at most 16). Of language "cpp", "c"
// or "cuda": strings and characters become "" and '_' except short words that can be options (target("avx2"), extern "C") and plain
// assembly; #error, #warning, #line, unknown pragmas and the groups of #if 0 lose their text; rows of names that can only be prose vanish;
// special tokens (<|end|>) fall apart. "lua": comments and strings. Other languages stay as they are. Any bytes; canonical of canonical is
// the same. What stays possible: single words of at most 24 letters as names, one statement apart.
std::string canonical_text(const std::string& language, const std::string& code);
// Equal for programs that differ in comments, layout and other things that the canonical text leaves out: 64 hexadecimal digits.
std::string canonical_hash(const std::string& language, const std::string& code, const std::string& plan);

}  // namespace hone
