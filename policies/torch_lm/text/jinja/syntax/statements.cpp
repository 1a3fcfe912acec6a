// Text, prints and blocks.
#include "torch_lm/text/jinja/syntax/parser.hpp"

namespace hone::lm::jinja {
namespace {

using Kind = Token::Kind;

class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : cursor_(std::move(tokens)), expressions_(cursor_) {}
    Block read() {
        Block all = body({});
        return all;
    }

private:
    using Words = std::initializer_list<std::string_view>;
    Block body(Words ends);   // up to the block that one of these names opens, with its "{%"
    Block block(Words ends);  // behind the "%}" of a block that opens
    Block last_block(std::string_view end);
    Step statement();
    Step if_block(int at);
    Step for_block(int at);
    Step set_block(int at);
    Step macro_block(int at);
    Step with_block(int at);
    Step filter_block(int at);
    Step leave(int at, Flow flow);
    Node captured(int at) { return variable(at, captured_name); }

    Cursor cursor_;
    ExpressionParser expressions_;
    int depth_ = 0, loops_ = 0;
};

Block Parser::body(Words ends) {
    const Deeper deeper(cursor_, depth_);
    Block all;
    for (;;) {
        const int at = cursor_.now().line;
        expressions_.begin_tag();
        if (cursor_.now().kind == Kind::data) {
            all.push_back(literal(at, cursor_.take().text));
        } else if (cursor_.now().kind == Kind::print_begin) {
            cursor_.take();
            all.push_back(printed(at, expressions_.tuple(true)));
            cursor_.expect(Kind::print_end);
        } else if (cursor_.now().kind == Kind::block_begin) {
            cursor_.take();
            for (std::string_view end : ends)
                if (cursor_.now().is_name(end)) return all;
            all.push_back(statement());
            cursor_.expect(Kind::block_end);
        } else {
            if (ends.size())
                cursor_.fail("a block does not end; close it with {% " + std::string(*(ends.end() - 1)) + " %}");
            return all;
        }
    }
}

Block Parser::block(Words ends) {
    cursor_.expect(Kind::block_end);
    return body(ends);
}

Block Parser::last_block(std::string_view end) {
    Block all = block({end});
    cursor_.take();
    return all;
}

Step Parser::statement() {
    const int at = cursor_.now().line;
    const std::string name = cursor_.expect_name();
    if (name == "if") return if_block(at);
    if (name == "for") return for_block(at);
    if (name == "set") return set_block(at);
    if (name == "macro") return macro_block(at);
    if (name == "with") return with_block(at);
    if (name == "filter") return filter_block(at);
    if (name == "generation") return inner_block(at, {}, last_block("endgeneration"));
    if (name == "break") return leave(at, Flow::out);
    if (name == "continue") return leave(at, Flow::next);
    throw SyntaxFault{at, "the tag " + name.substr(0, 100) +
                              (name.starts_with("end") || name == "else" || name == "elif"
                                   ? " closes nothing; remove it"
                                   : " is not supported; write the template without it")};
}

Step Parser::if_block(int at) {
    std::vector<Branch> all;
    for (;;) {
        Node test = expressions_.tuple(false);
        all.push_back({std::move(test), block({"elif", "else", "endif"})});
        if (cursor_.skip_name("elif")) continue;
        if (cursor_.take().is_name("else")) all.push_back({nullptr, last_block("endif")});
        return branches(at, std::move(all));
    }
}

Step Parser::for_block(int at) {
    Target target = expressions_.target(false);
    if (!cursor_.skip_name("in")) cursor_.fail_here("\"in\"");
    Node all = expressions_.tuple(false);
    Node only_if = cursor_.skip_name("if") ? expressions_.expression() : nullptr;
    if (cursor_.now().is_name("recursive"))
        cursor_.fail("recursive loops are not supported; call a macro that calls itself");
    ++loops_;
    Block body = block({"else", "endfor"}), otherwise;
    --loops_;
    if (cursor_.take().text == "else") otherwise = last_block("endfor");
    return loop(at, std::move(target), std::move(all), std::move(only_if), std::move(body), std::move(otherwise));
}

Step Parser::set_block(int at) {
    Target target = expressions_.target(true);
    if (cursor_.skip_sign("=")) return assignment(at, std::move(target), expressions_.tuple(true));
    Node filters = cursor_.skip_sign("|") ? expressions_.filters(captured(at)) : nullptr;
    return captured_assignment(at, std::move(target), std::move(filters), last_block("endset"));
}

Step Parser::filter_block(int at) {
    Node filters = expressions_.filters(captured(at));
    return filtered(at, std::move(filters), last_block("endfilter"));
}

Step Parser::macro_block(int at) {
    std::string name = cursor_.expect_name();
    std::vector<Parameter> parameters;
    cursor_.expect_sign("(");
    while (!cursor_.skip_sign(")")) {
        if (!parameters.empty()) cursor_.expect_sign(",");
        std::string parameter = cursor_.expect_name();
        Node preset = cursor_.skip_sign("=") ? expressions_.expression() : nullptr;
        parameters.push_back({std::move(parameter), std::move(preset)});
    }
    const int loops = std::exchange(loops_, 0);
    Block body = last_block("endmacro");
    loops_ = loops;
    return macro(at, std::move(name), std::move(parameters), std::move(body));
}

Step Parser::with_block(int at) {
    std::vector<std::pair<Target, Node>> variables;
    while (cursor_.now().kind != Kind::block_end) {
        if (!variables.empty()) cursor_.expect_sign(",");
        Target target = expressions_.target(false);
        cursor_.expect_sign("=");
        variables.emplace_back(std::move(target), expressions_.expression());
    }
    return inner_block(at, std::move(variables), last_block("endwith"));
}

Step Parser::leave(int at, Flow flow) {
    if (!loops_) throw SyntaxFault{at, "break or continue stands outside of a loop; remove it"};
    return leave_loop(at, flow);
}

}  // namespace

// Without brackets: ends where no comma follows.
Node ExpressionParser::tuple(bool with_condition) {
    const int at = line();
    const auto one = [&] { return with_condition ? expression() : without_condition(); };
    const auto ends = [this] {
        const Kind kind = cursor_.now().kind;
        return kind == Kind::print_end || kind == Kind::block_end || cursor_.now().is_sign(")");
    };
    Node first = one();
    if (!cursor_.now().is_sign(",")) return first;
    Nodes items;
    items.push_back(std::move(first));
    while (cursor_.skip_sign(",") && !ends()) items.push_back(one());
    return list_display(at, std::move(items), List::Kind::tuple);
}

Target ExpressionParser::one_target(bool namespaces) {
    const Deeper deeper(cursor_, depth_);
    if (cursor_.skip_sign("(")) {
        Target inner = target(namespaces);
        cursor_.expect_sign(")");
        return inner;
    }
    Target target{cursor_.expect_name(), "", {}};
    for (const char* word : {"true", "false", "none", "True", "False", "None"})
        if (target.name == word) cursor_.fail("a value cannot be set to another; name a variable");
    if (namespaces && cursor_.skip_sign(".")) target.attribute = cursor_.expect_name();
    return target;
}

Target ExpressionParser::target(bool namespaces) {
    Target first = one_target(namespaces);
    if (!cursor_.now().is_sign(",")) return first;
    Target all;
    all.parts.push_back(std::move(first));
    while (cursor_.skip_sign(",") && (cursor_.now().kind == Kind::name || cursor_.now().is_sign("(")) &&
           !cursor_.now().is_name("in"))
        all.parts.push_back(one_target(namespaces));
    return all;
}

Block parse(std::string_view text) { return Parser(read_tokens(text)).read(); }

}  // namespace hone::lm::jinja
