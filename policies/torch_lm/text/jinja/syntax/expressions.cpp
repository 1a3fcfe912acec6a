// From "a if b else c" down to a**b: what binds least comes first.
#include "torch_lm/text/jinja/syntax/parser.hpp"

namespace hone::lm::jinja {

using Kind = Token::Kind;

bool Cursor::skip_sign(std::string_view sign) {
    const bool here = now().is_sign(sign);
    if (here) ++at_;
    return here;
}

bool Cursor::skip_name(std::string_view name) {
    const bool here = now().is_name(name);
    if (here) ++at_;
    return here;
}

void Cursor::expect_sign(std::string_view sign) {
    if (!skip_sign(sign)) fail_here("\"" + std::string(sign) + "\"");
}

void Cursor::expect(Kind kind) {
    if (now().kind != kind) fail_here(kind == Kind::print_end ? "}}" : "%}");
    take();
}

std::string Cursor::expect_name() {
    if (now().kind != Kind::name) fail_here("a name");
    return take().text;
}

void Cursor::fail_here(std::string_view wanted) const {
    static const char* const kinds[] = {"text", "{{", "}}", "{%", "%}", "", "a string", "", "", "", "the end"};
    const std::string kind = kinds[static_cast<int>(now().kind)];
    fail(std::string(wanted) + " is expected where " + (kind.empty() ? "\"" + now().text.substr(0, 100) + "\"" : kind) +
         " stands; write the one for the other");
}

int ExpressionParser::line() {
    if (++parts_ > most_parts) cursor_.fail("a tag has more than 5000 parts; take it apart");
    return cursor_.now().line;
}

Node ExpressionParser::expression() {
    const Deeper deeper(cursor_, depth_);
    const int at = line();
    Node node = either();
    while (cursor_.skip_name("if")) {
        line();
        Node test = either();
        Node no = cursor_.skip_name("else") ? expression() : nullptr;
        node = condition(at, std::move(test), std::move(node), std::move(no));
    }
    return node;
}

Node ExpressionParser::without_condition() {
    const Deeper deeper(cursor_, depth_);
    return either();
}

Node ExpressionParser::either() {
    const int at = line();
    Node node = both();
    while (cursor_.skip_name("or")) node = disjunction(at, std::move(node), both());
    return node;
}

Node ExpressionParser::both() {
    const int at = line();
    Node node = inverse();
    while (cursor_.skip_name("and")) node = conjunction(at, std::move(node), inverse());
    return node;
}

Node ExpressionParser::inverse() {
    const Deeper deeper(cursor_, depth_);
    const int at = line();
    return cursor_.skip_name("not") ? negation(at, inverse()) : compared();
}

// Empty: no comparison follows.
std::string_view ExpressionParser::comparison_sign() {
    for (std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"})
        if (cursor_.skip_sign(sign)) return sign;
    if (cursor_.skip_name("in")) return "in";
    if (!cursor_.now().is_name("not") || !cursor_.ahead().is_name("in")) return "";
    cursor_.take();
    cursor_.take();
    return "not in";
}

Node ExpressionParser::compared() {
    const int at = line();
    Node first = sum();
    std::vector<std::pair<std::string_view, Node>> rest;
    for (std::string_view sign; !(sign = comparison_sign()).empty();) rest.emplace_back(sign, sum());
    return rest.empty() ? std::move(first) : comparison(at, std::move(first), std::move(rest));
}

Node ExpressionParser::sum() {
    const int at = line();
    Node node = joined();
    for (;;) {
        if (cursor_.skip_sign("+")) node = calculation(at, "+", std::move(node), joined());
        else if (cursor_.skip_sign("-")) node = calculation(at, "-", std::move(node), joined());
        else return node;
    }
}

Node ExpressionParser::joined() {
    const int at = line();
    Nodes parts;
    do parts.push_back(product());
    while (cursor_.skip_sign("~"));
    return parts.size() == 1 ? std::move(parts[0]) : concatenation(at, std::move(parts));
}

Node ExpressionParser::product() {
    const int at = line();
    Node node = power();
    for (bool more = true; more;) {
        more = false;
        for (std::string_view sign : {"*", "/", "//", "%"})
            if (!more && cursor_.skip_sign(sign)) {
                node = calculation(at, sign, std::move(node), power());
                more = true;
            }
    }
    return node;
}

Node ExpressionParser::power() {
    const int at = line();
    Node node = unary(true);
    while (cursor_.skip_sign("**")) node = calculation(at, "**", std::move(node), unary(true));
    return node;
}

Node ExpressionParser::unary(bool with_filters_too) {
    const Deeper deeper(cursor_, depth_);
    const int at = line();
    Node node;
    if (cursor_.skip_sign("-")) node = minus(at, unary(false));
    else if (cursor_.skip_sign("+")) node = plus(at, unary(false));
    else node = primary();
    node = postfix(std::move(node));
    return with_filters_too ? with_filters(std::move(node)) : std::move(node);
}

}  // namespace hone::lm::jinja
