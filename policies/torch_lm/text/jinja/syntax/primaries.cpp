// Names, literals, and what stands behind them: members, calls, filters, tests.
#include <charconv>
#include "torch_lm/text/jinja/syntax/parser.hpp"

namespace hone::lm::jinja {

using Kind = Token::Kind;

Node ExpressionParser::primary() {
    const Token& token = cursor_.now();
    if (token.kind == Kind::name) return name_or_word();
    if (token.kind == Kind::string) return text();
    if (token.kind == Kind::whole || token.kind == Kind::real) return number();
    if (token.is_sign("(")) return in_parentheses();
    if (token.is_sign("[")) return list();
    if (token.is_sign("{")) return dict();
    cursor_.fail_here("a value");
}

Node ExpressionParser::name_or_word() {
    const int at = line();
    std::string name = cursor_.take().text;
    if (name == "true" || name == "True") return constant(at, true);
    if (name == "false" || name == "False") return constant(at, false);
    if (name == "none" || name == "None") return constant(at, None{});
    return variable(at, std::move(name));
}

Node ExpressionParser::text() {
    const int at = line();
    std::string text;
    while (cursor_.now().kind == Kind::string) text += cursor_.take().text;
    return constant(at, std::make_shared<const Text>(std::move(text)));
}

Node ExpressionParser::number() {
    const int at = line();
    const bool is_real = cursor_.now().kind == Kind::real;
    const std::string text = cursor_.take().text;
    std::int64_t whole = 0;
    double real = 0;
    const char* end = text.data() + text.size();
    const auto error =
        is_real ? std::from_chars(text.data(), end, real).ec : std::from_chars(text.data(), end, whole).ec;
    if (error != std::errc()) cursor_.fail("the number " + text.substr(0, 100) + " is too large; write a smaller one");
    return constant(at, is_real ? Value(real) : Value(whole));
}

// Expressions with commas between them up to `close`; is_tuple: there was a comma.
Nodes ExpressionParser::items_until(std::string_view close, bool& is_tuple) {
    Nodes items;
    is_tuple = false;
    while (!cursor_.skip_sign(close)) {
        if (!items.empty()) {
            cursor_.expect_sign(",");
            is_tuple = true;
            if (cursor_.skip_sign(close)) break;
        }
        items.push_back(expression());
    }
    return items;
}

Node ExpressionParser::in_parentheses() {
    const int at = line();
    cursor_.take();
    bool is_tuple = false;
    Nodes items = items_until(")", is_tuple);
    if (!is_tuple && items.size() == 1) return std::move(items[0]);
    return list_display(at, std::move(items), List::Kind::tuple);
}

Node ExpressionParser::list() {
    const int at = line();
    cursor_.take();
    bool is_tuple = false;
    return list_display(at, items_until("]", is_tuple), List::Kind::list);
}

Node ExpressionParser::dict() {
    const int at = line();
    cursor_.take();
    std::vector<std::pair<Node, Node>> items;
    while (!cursor_.skip_sign("}")) {
        if (!items.empty()) {
            cursor_.expect_sign(",");
            if (cursor_.skip_sign("}")) break;
        }
        Node key = expression();
        cursor_.expect_sign(":");
        items.emplace_back(std::move(key), expression());
    }
    return dict_display(at, std::move(items));
}

Node ExpressionParser::postfix(Node of) {
    for (;;) {
        const int at = line();
        if (cursor_.skip_sign(".")) of = member(std::move(of));
        else if (cursor_.skip_sign("[")) of = subscript(std::move(of));
        else if (cursor_.now().is_sign("(")) of = call(at, std::move(of), arguments());
        else return of;
    }
}

Node ExpressionParser::member(Node of) {
    const int at = line();
    if (cursor_.now().kind == Kind::whole) return item(at, std::move(of), number());
    return attribute(at, std::move(of), cursor_.expect_name());
}

Node ExpressionParser::subscript(Node of) {
    const int at = line();
    const auto ends = [this] { return cursor_.now().is_sign("]") || cursor_.now().is_sign(":"); };
    Node bounds[3];
    bounds[0] = ends() ? nullptr : expression();
    if (bounds[0] && cursor_.skip_sign("]")) return item(at, std::move(of), std::move(bounds[0]));
    if (!cursor_.now().is_sign(":")) cursor_.fail_here("\"]\" or \":\"");
    for (int i = 1; i < 3 && cursor_.skip_sign(":"); ++i)
        if (!ends()) bounds[i] = expression();
    cursor_.expect_sign("]");
    return slice(at, std::move(of), std::move(bounds[0]), std::move(bounds[1]), std::move(bounds[2]));
}

ArgumentNodes ExpressionParser::arguments() {
    ArgumentNodes all;
    cursor_.expect_sign("(");
    for (bool first = true; !cursor_.skip_sign(")"); first = false) {
        if (!first) {
            cursor_.expect_sign(",");
            if (cursor_.skip_sign(")")) break;
        }
        if (cursor_.now().is_sign("*") || cursor_.now().is_sign("**"))
            cursor_.fail("arguments out of a list or dict (*, **) are not supported; write them one by one");
        if (cursor_.now().kind == Kind::name && cursor_.ahead().is_sign("=")) {
            std::string name = cursor_.take().text;
            cursor_.take();
            all.named.emplace_back(std::move(name), expression());
        } else if (all.named.empty()) {
            all.positional.push_back(expression());
        } else {
            cursor_.fail("an argument without a name stands behind one with a name; write it in front");
        }
    }
    return all;
}

Node ExpressionParser::with_filters(Node of) {
    for (;;) {
        const int at = line();
        if (cursor_.skip_sign("|")) of = one_filter(std::move(of));
        else if (cursor_.skip_name("is")) of = is_test(std::move(of));
        else if (cursor_.now().is_sign("(")) of = call(at, std::move(of), arguments());
        else return of;
    }
}

Node ExpressionParser::filters(Node of) {
    do of = one_filter(std::move(of));
    while (cursor_.skip_sign("|"));
    return of;
}

Node ExpressionParser::one_filter(Node of) {
    const int at = line();
    const std::string name = cursor_.expect_name();
    const Native* found = find_filter(name);
    if (!found) cursor_.fail("the filter " + name + " is not known; write the template without it");
    ArgumentNodes given = cursor_.now().is_sign("(") ? arguments() : ArgumentNodes{};
    return filter(at, std::move(of), *found, std::move(given));
}

Node ExpressionParser::is_test(Node of) {
    const int at = line();
    const bool negated = cursor_.skip_name("not");
    const std::string name = cursor_.expect_name();
    const Native* found = find_test(name);
    if (!found) cursor_.fail("the test " + name + " is not known; write the template without it");
    ArgumentNodes given;
    const Token& next = cursor_.now();
    const bool ends = next.is_name("else") || next.is_name("or") || next.is_name("and") || next.is_name("if");
    if (next.is_sign("(")) given = arguments();
    else if (next.kind == Kind::name || next.kind == Kind::string || next.kind == Kind::whole ||
             next.kind == Kind::real || next.is_sign("[") || next.is_sign("{")) {
        if (next.is_name("is")) cursor_.fail("a test stands behind a test; put the first into brackets");
        if (!ends) given.positional.push_back(postfix(primary()));
    }
    return test(at, std::move(of), *found, std::move(given), negated);
}

}  // namespace hone::lm::jinja
