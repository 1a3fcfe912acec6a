// statements.hpp: the tree of a template: text, what is printed, and blocks.
#pragma once
#include "torch_lm/text/jinja/expressions.hpp"

namespace hone::lm::jinja {

enum class Flow { on, next, out };  // next, out: "continue" and "break" of the loop around it

class Statement {
public:
    explicit Statement(int line) : line_(line) {}
    virtual ~Statement() = default;
    Flow run(Run& run) const {
        const Nested nested(run, line_);
        return execute(run);
    }

protected:
    virtual Flow execute(Run& run) const = 0;
    int line_;
};
using Block = std::vector<std::unique_ptr<const Statement>>;
Flow run_block(const Block& block, Run& run);
Text capture(const Block& block, Run& run, Scope& scope);  // what it prints, run within `scope`

// What a loop, "set" or "with" assigns to.
struct Target {
    std::string name;           // of a variable or, with an attribute, of a namespace
    std::string attribute;      // empty: none
    std::vector<Target> parts;  // not empty: a tuple, which takes a value apart
    void assign(Run& run, const Value& value) const;
};

using Step = std::unique_ptr<const Statement>;
struct Branch {
    Node test;  // null: else
    Block body;
};
struct Parameter {
    std::string name;
    Node preset;  // null: none
};

Step literal(int line, std::string text);
Step printed(int line, Node value);
Step branches(int line, std::vector<Branch> all);
Step loop(int line, Target target, Node all, Node only_if, Block body, Block otherwise);
Step leave_loop(int line, Flow flow);
Step assignment(int line, Target target, Node value);
// Filters apply to what the body prints: a chain over the variable captured_name.
Step captured_assignment(int line, Target target, Node filters, Block body);
Step filtered(int line, Node filters, Block body);
Step inner_block(int line, std::vector<std::pair<Target, Node>> variables, Block body);  // with, generation
Step macro(int line, std::string name, std::vector<Parameter> parameters, Block body);
inline constexpr const char* captured_name = "{body}";  // no template can name it

}  // namespace hone::lm::jinja
