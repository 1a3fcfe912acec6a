// text/canonical.hpp: a program as later prompts may show it. What one candidate wrote becomes the reading matter of
// the next (contrastive prompts), so it holds as little else as can be had without renaming: no comment, no text, no
// sentence made of names in a row. Judging and evidence use the raw text. It narrows the channel and does not close it:
// names of up to 24 bytes stay, also several in a declaration or an argument list (int please, copy, this;), operands
// of assembly and options of target() and optimize().
#pragma once
#include <string>

namespace hone {

constexpr std::size_t longest_word = 24;  // bytes; longer names become name1, name2, ...
// names in a row, with nothing but blanks and keywords between them; C++ has no use for more
constexpr std::size_t most_words = 3;

// The same program without comments and dead text, in its own lines, blanks single (indentation stays, at most 16). Of
// language "cpp", "c" or "cuda": characters become '_' and strings "", except where the language needs them: after
// extern, in #include, plain assembly, and short options within target() and optimize() of an attribute or a pragma;
// #error, #warning, #line, unknown pragmas and the groups of #if 0 lose their text; rows of names that can only be
// prose vanish; special tokens (<|end|>) fall apart. "lua": comments, and strings but those that a launch plan needs,
// kernels' names and short options. Other languages stay as they are. Any bytes; canonical of canonical is the same.
std::string canonical_text(const std::string& language, const std::string& code);
// Equal for programs that differ in comments, layout and other things that the canonical text leaves out: 64
// hexadecimal digits.
std::string canonical_hash(const std::string& language, const std::string& code, const std::string& plan);

}  // namespace hone
