// expressions.hpp: the tree of an expression. Each part gives its value; it throws Fault where it has none.
#pragma once
#include "torch_lm/text/jinja/arguments.hpp"

namespace hone::lm::jinja {

class Expression {
public:
    explicit Expression(int line) : line_(line) {}
    virtual ~Expression() = default;
    Value value(Run& run) const {
        const Nested nested(run, line_);
        return evaluate(run);
    }

protected:
    virtual Value evaluate(Run& run) const = 0;
    void at_line(Run& run) const { run.line = line_; }  // again, after parts on other lines
    int line_;
};
using Node = std::unique_ptr<const Expression>;
using Nodes = std::vector<Node>;

struct ArgumentNodes {
    Nodes positional;
    std::vector<std::pair<std::string, Node>> named;
    Arguments values(Run& run) const;
};

// What a part is made of, in the order of its name.
Node constant(int line, Value value);
Node variable(int line, std::string name);
Node attribute(int line, Node of, std::string name);             // of.name
Node item(int line, Node of, Node key);                          // of[key]
Node slice(int line, Node of, Node begin, Node end, Node step);  // of[begin:end:step]; null: left out
Node call(int line, Node function, ArgumentNodes arguments);
Node filter(int line, Node of, const Native& filter, ArgumentNodes arguments);
Node test(int line, Node of, const Native& test, ArgumentNodes arguments, bool negated);
Node calculation(int line, std::string_view sign, Node a, Node b);  // sign: a literal
Node minus(int line, Node a);
Node plus(int line, Node a);
Node concatenation(int line, Nodes parts);                                                   // ~
Node comparison(int line, Node first, std::vector<std::pair<std::string_view, Node>> rest);  // a < b <= c
Node negation(int line, Node a);                                                             // not
Node conjunction(int line, Node a, Node b);                                                  // and
Node disjunction(int line, Node a, Node b);                                                  // or
Node condition(int line, Node test, Node yes, Node no);  // yes if test else no; no: may be null
Node list_display(int line, Nodes items, List::Kind kind);
Node dict_display(int line, std::vector<std::pair<Node, Node>> items);

}  // namespace hone::lm::jinja
