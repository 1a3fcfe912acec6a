#include "torch_lm/text/jinja/syntax/lexer.hpp"
#include <algorithm>
#include <cctype>

namespace hone::lm::jinja {
namespace {

using Kind = Token::Kind;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}
    std::vector<Token> read();

private:
    [[noreturn]] void fail(std::string cause) const { throw SyntaxFault{line_, std::move(cause)}; }
    bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    void put(Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
    void advance(std::size_t n) {
        line_ += static_cast<int>(std::count(text_.begin() + at_, text_.begin() + at_ + n, '\n'));
        at_ += n;
    }
    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) advance(1);
    }
    void put_data(std::size_t end, char sign, bool is_print);
    void end_tag(bool trims);
    void comment();
    bool raw();
    void tag(Kind begin, Kind end, std::string_view close);
    void token();
    void number();
    void string();

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool line_begins_ = true;  // the data that follows begins a line
    std::vector<Token> tokens_;
    std::string brackets_;  // open ones
};

// Data up to the tag at `end`, whose opening has the sign '-', '+' or none.
void Lexer::put_data(std::size_t end, char sign, bool is_print) {
    std::string_view data = text_.substr(at_, end - at_);
    if (sign == '-') {
        while (!data.empty() && is_space(data.back())) data.remove_suffix(1);
    } else if (sign != '+' && !is_print) {
        const std::size_t line = data.rfind('\n') + 1;  // 0: the line of the data began before it
        if ((line > 0 || line_begins_) && std::all_of(data.begin() + line, data.end(), is_space))
            data = data.substr(0, line);
    }
    if (!data.empty()) put(Kind::data, std::string(data));
    advance(end - at_);
}

// Behind the end of a block or comment: a newline goes, behind "-" all white space.
void Lexer::end_tag(bool trims) {
    const char sign = text_[at_] == '-' || text_[at_] == '+' ? text_[at_] : ' ';
    advance(sign == ' ' ? 2 : 3);
    if (sign == '-') skip_space();
    else if (trims && sign != '+' && sees("\n")) advance(1);
    line_begins_ = text_[at_ - 1] == '\n';
}

void Lexer::comment() {
    const std::size_t close = text_.find("#}", at_ + 2);
    if (close == std::string_view::npos) fail("a comment does not end; close it with #}");
    const bool has_sign = close > at_ + 2 && (text_[close - 1] == '-' || text_[close - 1] == '+');
    advance(close - has_sign - at_);
    end_tag(true);
}

// {% raw %} ... {% endraw %}: data, whatever stands in it. False: another block begins here.
bool Lexer::raw() {
    const auto matches = [this](std::size_t at, std::string_view word) -> std::size_t {  // the end of {% word %}, or 0
        if (at + 2 < text_.size() && (text_[at + 2] == '-' || text_[at + 2] == '+')) ++at;
        at += 2;
        while (at < text_.size() && is_space(text_[at])) ++at;
        if (!text_.substr(std::min(at, text_.size())).starts_with(word)) return 0;
        at += word.size();
        while (at < text_.size() && is_space(text_[at])) ++at;
        const std::string_view rest = text_.substr(std::min(at, text_.size()));
        return rest.starts_with("%}") || rest.starts_with("-%}") || rest.starts_with("+%}") ? at : 0;
    };
    const std::size_t begin = matches(at_, "raw");
    if (!begin) return false;
    advance(begin - at_);
    end_tag(false);
    for (std::size_t at = at_; (at = text_.find("{%", at)) != std::string_view::npos; at += 2) {
        const std::size_t end = matches(at, "endraw");
        if (!end) continue;
        put_data(at, text_[at + 2], false);
        advance(end - at_);
        end_tag(true);
        return true;
    }
    fail("a raw block does not end; close it with {% endraw %}");
}

void Lexer::number() {
    const auto digits = [this](std::size_t at) {
        while (at < text_.size() &&
               (is_digit(text_[at]) || (text_[at] == '_' && at + 1 < text_.size() && is_digit(text_[at + 1]))))
            ++at;
        return at;
    };
    std::size_t end = digits(at_);
    const bool behind_dot = at_ > 0 && text_[at_ - 1] == '.';
    bool real = false;
    if (!behind_dot && end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
        end = digits(end + 1);
        real = true;
    }
    if (!behind_dot && end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
        const std::size_t sign = end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-');
        if (end + 1 + sign < text_.size() && is_digit(text_[end + 1 + sign])) {
            end = digits(end + 1 + sign);
            real = true;
        }
    }
    std::string text(text_.substr(at_, end - at_));
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    put(real ? Kind::real : Kind::whole, std::move(text));
    advance(end - at_);
}

void Lexer::string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != text_[at_]) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) fail("a string does not end; close its quote");
    std::string text;
    if (!unescape(text_.substr(at_, end + 1 - at_), text))
        fail("a string has an escape that is not known; write the character itself");
    put(Kind::string, std::move(text));
    advance(end + 1 - at_);
}

void Lexer::token() {
    static constexpr std::string_view signs[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
                                                 "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
    const char c = text_[at_];
    if (is_digit(c)) return number();
    if (c == '\'' || c == '"') return string();
    if (is_word(c)) {
        std::size_t end = at_;
        while (end < text_.size() && is_word(text_[end])) ++end;
        put(Kind::name, std::string(text_.substr(at_, end - at_)));
        return advance(end - at_);
    }
    const auto* sign = std::find_if(std::begin(signs), std::end(signs), [this](std::string_view s) { return sees(s); });
    if (sign == std::end(signs)) fail(std::string("the character ") + c + " has no meaning here; remove it");
    const std::size_t opener = std::string_view(")]}").find(c);
    if (std::string_view("([{").find(c) != std::string_view::npos) brackets_ += c;
    if (opener != std::string_view::npos) {
        if (brackets_.empty() || brackets_.back() != "([{"[opener])
            fail(std::string("a ") + c + " closes nothing; open it first");
        brackets_.pop_back();
    }
    put(Kind::sign, std::string(*sign));
    advance(sign->size());
}

void Lexer::tag(Kind begin, Kind end, std::string_view close) {
    const int first = line_;
    put(begin, "");
    advance(2 + (at_ + 2 < text_.size() && (text_[at_ + 2] == '-' || text_[at_ + 2] == '+')));
    brackets_.clear();
    for (skip_space(); at_ < text_.size(); skip_space()) {
        const bool signed_close = (text_[at_] == '-' || (text_[at_] == '+' && end == Kind::block_end)) &&
                                  text_.substr(at_ + 1).starts_with(close);
        if (brackets_.empty() && (signed_close || sees(close))) {
            put(end, "");
            return end_tag(end == Kind::block_end);
        }
        token();
    }
    line_ = first;
    fail("a tag does not end; close it with " + std::string(close));
}

std::vector<Token> Lexer::read() {
    if (text_.ends_with('\n')) text_.remove_suffix(1);
    while (at_ < text_.size()) {
        std::size_t open = at_;
        while ((open = text_.find('{', open)) != std::string_view::npos &&
               (open + 1 >= text_.size() || std::string_view("%{#").find(text_[open + 1]) == std::string_view::npos))
            ++open;
        if (open == std::string_view::npos) {
            put(Kind::data, std::string(text_.substr(at_)));
            break;
        }
        put_data(open, open + 2 < text_.size() ? text_[open + 2] : ' ', text_[open + 1] == '{');
        if (text_[at_ + 1] == '#') comment();
        else if (text_[at_ + 1] == '{') tag(Kind::print_begin, Kind::print_end, "}}");
        else if (!raw()) tag(Kind::block_begin, Kind::block_end, "%}");
    }
    put(Kind::end, "");
    return std::move(tokens_);
}

std::string with_plain_newlines(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r') plain += text[i];
        else if (i + 1 >= text.size() || text[i + 1] != '\n') plain += '\n';
    }
    return plain;
}

}  // namespace

std::vector<Token> read_tokens(std::string_view text) {
    const std::string plain = with_plain_newlines(text);
    return Lexer(plain).read();
}

}  // namespace hone::lm::jinja
