// text/tokens.hpp: a program's tokens, for whoever needs its text without what only people read. Takes any bytes; never
// fails.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct Token {
    enum class Kind { word, number, text, character, mark };
    Kind kind;
    std::string text;        // of a text: what stands between the quotes, escapes as written
    bool blank = false;      // blank space or a comment stands before it
    bool newline = false;    // first of its line
    int indent = 0;          // of a first one: blanks before it
    bool directive = false;  // belongs to a line that begins with #
};

// C++ and CUDA, up to the preprocessor's work: comments, strings in all their forms (raw, prefixed, unfinished), line
// continuations, digit separators and %: are understood; trigraphs are not, as in C++17 and later. Every mark is one
// character. A character that no C++ token has counts as blank, and so does # within a line of code.
std::vector<Token> cpp_tokens(std::string_view);
// Lua 5.4: long brackets in comments and strings. No token is a directive.
std::vector<Token> lua_tokens(std::string_view);

}  // namespace hone
