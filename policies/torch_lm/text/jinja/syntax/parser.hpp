// parser.hpp: tokens as a tree.
#pragma once
#include "torch_lm/text/jinja/statements.hpp"
#include "torch_lm/text/jinja/syntax/lexer.hpp"

namespace hone::lm::jinja {

// The tokens that are still to be read.
class Cursor {
public:
    explicit Cursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
    const Token& now() const { return tokens_[at_]; }
    const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
    Token take() { return at_ + 1 < tokens_.size() ? std::move(tokens_[at_++]) : tokens_[at_]; }
    bool skip_sign(std::string_view sign);
    bool skip_name(std::string_view name);
    void expect_sign(std::string_view sign);
    void expect(Token::Kind kind);
    std::string expect_name();
    [[noreturn]] void fail(std::string cause) const { throw SyntaxFault{now().line, std::move(cause)}; }
    [[noreturn]] void fail_here(std::string_view wanted) const;  // "wanted, but here is ..."

private:
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

// Within its life one level deeper. Throws SyntaxFault where that is too deep.
class Deeper {
public:
    Deeper(Cursor& cursor, int& depth) : depth_(depth) {
        if (++depth_ > most_nesting) {
            --depth_;
            cursor.fail("brackets or blocks are nested 200 deep; nest them less");
        }
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --depth_; }

private:
    int& depth_;
};

class ExpressionParser {
public:
    explicit ExpressionParser(Cursor& cursor) : cursor_(cursor) {}
    Node expression();           // with "a if b else c"
    Node without_condition();    // without, as behind "for x in"
    Node tuple(bool condition);  // also "a, b"
    Node filters(Node of);       // a chain that begins behind the first "|"
    Target target(bool namespaces);
    void begin_tag() { parts_ = 0; }

private:
    Node either();
    Node both();
    Node inverse();
    Node compared();
    Node sum();
    Node joined();
    Node product();
    Node power();
    Node unary(bool with_filters);
    Node primary();
    Node name_or_word();
    Node text();
    Node number();
    Node in_parentheses();
    Node list();
    Node dict();
    Node postfix(Node of);
    Node subscript(Node of);
    Node member(Node of);
    Node with_filters(Node of);
    Node one_filter(Node of);
    Node is_test(Node of);
    Nodes items_until(std::string_view close, bool& is_tuple);
    ArgumentNodes arguments();
    std::string_view comparison_sign();
    Target one_target(bool namespaces);
    int line();  // of the part that begins here; counts it

    Cursor& cursor_;
    int depth_ = 0, parts_ = 0;
};

Block parse(std::string_view text);  // throws SyntaxFault

}  // namespace hone::lm::jinja
