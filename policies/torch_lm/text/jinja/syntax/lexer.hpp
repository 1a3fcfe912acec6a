// lexer.hpp: the text of a template as tokens, with white space as transformers has it: trim_blocks, lstrip_blocks.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hone::lm::jinja {

struct Token {
    enum class Kind { data, print_begin, print_end, block_begin, block_end, name, string, whole, real, sign, end };
    Kind kind;
    std::string text;  // of data and strings: what it stands for; of others: as it is written
    int line;
    bool is(Kind k, std::string_view t) const { return kind == k && text == t; }
    bool is_sign(std::string_view t) const { return is(Kind::sign, t); }
    bool is_name(std::string_view t) const { return is(Kind::name, t); }
};

// A Fault that knows its line.
struct SyntaxFault {
    int line;
    std::string cause;
};

// The last token is `end`. Throws SyntaxFault.
std::vector<Token> read_tokens(std::string_view text);
// What the literal of a string, with its quotes, stands for; false: it has an escape that is not known.
bool unescape(std::string_view literal, std::string& text);

}  // namespace hone::lm::jinja
