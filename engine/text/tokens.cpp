#include "text/tokens.hpp"
#include <algorithm>

namespace hone {
namespace {

using Kind = Token::Kind;

constexpr int most_indent = 16, tab = 4;
constexpr std::size_t longest_delimiter = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Bytes of UTF-8 are letters: compilers take them in names.
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
bool is_mark(char c) { return std::string_view("!%&()*+,-./:;<=>?[]^{|}~#").find(c) != std::string_view::npos; }

// What both languages share: where the scan is, what stood before the next token, and the tokens so far.
class Scanner {
protected:
    explicit Scanner(std::string_view text) : text_(text) {}

    bool ended() const { return at_ >= text_.size(); }
    char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void add(Kind kind, std::string text) {
        tokens_.push_back({kind, std::move(text), blank_, newline_, newline_ ? indent_ : 0, directive_});
        blank_ = newline_ = false;
    }
    void add_mark(char c) {
        // neither <| nor %: of two marks that happen to stand together
        const std::string before = tokens_.empty() ? "" : tokens_.back().text;
        blank_ = blank_ || (c == '|' && before == "<") || (c == ':' && before == "%");
        add(Kind::mark, std::string(1, c));
    }
    void on_blank(char c) {
        if (newline_ && !blank_after_comment_) indent_ = std::min(most_indent, indent_ + (c == '\t' ? tab : 1));
        blank_ = true;
    }
    void on_newline() {
        newline_ = blank_ = true;
        directive_ = blank_after_comment_ = false;
        indent_ = 0;
    }
    void on_comment() { blank_ = blank_after_comment_ = true; }

    std::string_view text_;
    std::size_t at_ = 0;
    bool blank_ = false, newline_ = true, blank_after_comment_ = false, directive_ = false;
    int indent_ = 0;
    std::vector<Token> tokens_;
};

class CppScanner : Scanner {
public:
    explicit CppScanner(std::string_view text) : Scanner(text) { skip_splices(); }

    std::vector<Token> run() {
        while (!ended()) step();
        return std::move(tokens_);
    }

private:
    // A backslash at a line's end (blanks may follow it, as GCC has it) joins two lines.
    void skip_splices() {
        while (const std::size_t length = splice(at_)) at_ += length;
    }
    std::size_t splice(std::size_t from) const {
        if (from >= text_.size() || text_[from] != '\\') return 0;
        std::size_t end = from + 1;
        while (end < text_.size() && is_blank(text_[end])) ++end;
        return end < text_.size() && text_[end] == '\n' ? end + 1 - from : 0;
    }
    // The character after this one, over continuations.
    char next() const {
        std::size_t at = at_ + 1;
        while (const std::size_t length = splice(at)) at += length;
        return at < text_.size() ? text_[at] : '\0';
    }
    char take() {
        const char c = text_[at_++];
        skip_splices();
        return c;
    }

    void step() {
        const char c = here();
        if (c == '\n') {
            take();
            on_newline();
        } else if (c == '/' && next() == '/') {
            while (!ended() && here() != '\n') take();
            on_comment();
        } else if (c == '/' && next() == '*') {
            block_comment();
        } else if (is_letter(c) || (c == '\\' && (next() == 'u' || next() == 'U'))) {
            word();
        } else if (is_digit(c) || (c == '.' && is_digit(next()))) {
            number();
        } else if (c == '"' || c == '\'') {
            quoted();
        } else {
            mark();
        }
    }

    void block_comment() {
        take();
        for (take(); !ended(); take())
            if (here() == '*' && next() == '/') {
                take();
                take();
                break;
            }
        on_comment();
    }

    void word() {
        std::string text;
        while (is_letter(here()) || is_digit(here()) || (here() == '\\' && (next() == 'u' || next() == 'U')))
            text += take();
        const bool raw = text == "R" || text == "LR" || text == "uR" || text == "UR" || text == "u8R";
        if (here() == '"' && raw && raw_text()) return;
        if ((here() == '"' || here() == '\'') && (text == "L" || text == "u" || text == "U" || text == "u8"))
            return quoted();
        add(Kind::word, std::move(text));
    }

    // R"mark(...)mark": read as it stands, continuations and all. False: no raw string begins here.
    bool raw_text() {
        const std::size_t open = text_.substr(at_ + 1, longest_delimiter + 1).find_first_of("( )\\\t\v\f\n\r");
        if (open == std::string_view::npos || here(1 + open) != '(') return false;
        const std::string close = ")" + std::string(text_.substr(at_ + 1, open)) + "\"";
        const std::size_t begin = at_ + open + 2, end = text_.find(close, begin);
        add(Kind::text, std::string(text_.substr(begin, end == std::string_view::npos ? end : end - begin)));
        at_ = end == std::string_view::npos ? text_.size() : end + close.size();
        skip_splices();
        return true;
    }

    void number() {
        std::string text;
        while (!ended()) {
            const char c = here();
            const bool sign = !text.empty() && (c == '+' || c == '-');
            const bool exponent = sign && std::string_view("eEpP").find(text.back()) != std::string_view::npos;
            const bool separator = c == '\'' && (is_letter(next()) || is_digit(next()));
            if (!is_letter(c) && !is_digit(c) && c != '.' && !exponent && !separator) break;
            text += take();
        }
        add(Kind::number, std::move(text));
    }

    // An unfinished one ends with its line.
    void quoted() {
        const char quote = take();
        std::string text;
        while (!ended() && here() != '\n' && here() != quote) {
            if (here() == '\\') text += take();
            if (!ended() && here() != '\n') text += take();
        }
        if (here() == quote) take();
        add(quote == '"' ? Kind::text : Kind::character, std::move(text));
    }

    void mark() {
        const bool percent = here() == '%' && next() == ':';
        if ((here() == '#' || percent) && newline_) {
            take();
            if (percent) take();
            directive_ = true;
            return add(Kind::mark, "#");
        }
        const char c = take();
        if (!is_mark(c) || (c == '#' && !directive_)) return on_blank(c);
        add_mark(c);
    }
};

class LuaScanner : Scanner {
public:
    explicit LuaScanner(std::string_view text) : Scanner(text) {}

    std::vector<Token> run() {
        while (!ended()) step();
        return std::move(tokens_);
    }

private:
    void step() {
        const char c = here();
        std::string inside;
        if (c == '\n') ++at_, on_newline();
        else if (c == '-' && here(1) == '-') comment();
        else if (c == '[' && long_bracket(inside)) add(Kind::text, std::move(inside));
        else if (is_letter(c)) run_of(Kind::word);
        else if (is_digit(c)) run_of(Kind::number);
        else if (c == '"' || c == '\'') quoted(c);
        else if (++at_, is_mark(c)) add_mark(c);
        else on_blank(c);
    }

    void comment() {
        at_ += 2;
        std::string inside;
        if (here() != '[' || !long_bracket(inside))
            while (!ended() && here() != '\n') ++at_;
        on_comment();
    }

    // [[...]], [=[...]=]. False: none begins here.
    bool long_bracket(std::string& inside) {
        std::size_t level = 0;
        while (here(1 + level) == '=') ++level;
        if (here(1 + level) != '[') return false;
        const std::string close = "]" + std::string(level, '=') + "]";
        const std::size_t begin = at_ + level + 2, end = text_.find(close, begin);
        inside = text_.substr(begin, end == std::string_view::npos ? end : end - begin);
        at_ = end == std::string_view::npos ? text_.size() : end + close.size();
        return true;
    }

    void run_of(Kind kind) {
        const std::size_t begin = at_;
        while (is_letter(here()) || is_digit(here()) || (kind == Kind::number && here() == '.')) ++at_;
        add(kind, std::string(text_.substr(begin, at_ - begin)));
    }

    void quoted(char quote) {
        std::string text;
        for (++at_; !ended() && here() != '\n' && here() != quote; ++at_) {
            if (here() == '\\' && at_ + 1 < text_.size()) text += text_[at_++];
            text += here();
        }
        if (here() == quote) ++at_;
        add(Kind::text, std::move(text));
    }
};

}  // namespace

std::vector<Token> cpp_tokens(std::string_view text) { return CppScanner(text).run(); }
std::vector<Token> lua_tokens(std::string_view text) { return LuaScanner(text).run(); }

}  // namespace hone
