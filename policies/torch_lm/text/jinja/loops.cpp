// Loops and macros: the statements that run a body more than once.
#include "torch_lm/text/jinja/statements.hpp"

namespace hone::lm::jinja {
namespace {

// The variable `loop`.
class Loop : public Object {
public:
    explicit Loop(std::vector<Value> all) : items(std::move(all)) {}
    const char* type() const override { return "a loop"; }
    Value attribute(std::string_view name) const override;
    std::vector<Value> items;
    std::size_t at = 0;
};

Value Loop::attribute(std::string_view name) const {
    const auto whole = [](std::size_t n) { return Value(static_cast<std::int64_t>(n)); };
    if (name == "index") return whole(at + 1);
    if (name == "index0") return whole(at);
    if (name == "revindex") return whole(items.size() - at);
    if (name == "revindex0") return whole(items.size() - at - 1);
    if (name == "length") return whole(items.size());
    if (name == "first") return at == 0;
    if (name == "last") return at + 1 == items.size();
    if (name == "previtem") return at > 0 ? items[at - 1] : undefined("the first element has no loop.previtem");
    if (name == "nextitem")
        return at + 1 < items.size() ? items[at + 1] : undefined("the last element has no loop.nextitem");
    return Object::attribute(name);
}

std::vector<Value> selected(Run& run, std::vector<Value> items, const Target& target, const Node& only_if) {
    if (!only_if) return items;
    std::vector<Value> kept;
    for (Value& item : items) {
        Scope scope(run.scope);
        const Inner inner(run, scope);
        target.assign(run, item);
        if (is_true(only_if->value(run))) kept.push_back(std::move(item));
    }
    return kept;
}

class For final : public Statement {
public:
    For(int line, Target target, Node all, Node only_if, Block body, Block otherwise)
        : Statement(line),
          target_(std::move(target)),
          all_(std::move(all)),
          only_if_(std::move(only_if)),
          body_(std::move(body)),
          otherwise_(std::move(otherwise)) {}

private:
    Flow execute(Run& run) const override {
        const Value all = all_->value(run);
        run.line = line_;
        auto loop = std::make_shared<Loop>(selected(run, elements(run.budget, all), target_, only_if_));
        for (Flow flow = Flow::on; flow != Flow::out && loop->at < loop->items.size(); ++loop->at) {
            run.budget.step();
            Scope scope(run.scope);
            const Inner inner(run, scope);
            scope.set("loop", Value(std::shared_ptr<Object>(loop)));
            target_.assign(run, loop->items[loop->at]);
            flow = run_block(body_, run);
        }
        if (!loop->items.empty()) return Flow::on;
        Scope scope(run.scope);
        const Inner inner(run, scope);
        return run_block(otherwise_, run);
    }
    Target target_;
    Node all_, only_if_;
    Block body_, otherwise_;
};

struct Definition {
    int line;
    std::string name;
    std::vector<Parameter> parameters;
    Block body;
};

class Macro : public Object {
public:
    Macro(const Definition& definition, const Scope* home) : definition_(definition), home_(home) {}
    const char* type() const override { return "a macro"; }
    bool is_callable() const override { return true; }
    Value call(Run& run, const Arguments& arguments) const override;

private:
    const Definition& definition_;
    const Scope* home_;  // outlives the macro, which is a variable there or further in
};

Value Macro::call(Run& run, const Arguments& arguments) const {
    std::string signature;
    for (const Parameter& p : definition_.parameters) signature += (signature.empty() ? "" : " ") + p.name + "=";
    const Given given(definition_.name, signature, arguments);
    const Nested nested(run, definition_.line);
    Scope scope(home_);
    for (std::size_t i = 0; i < definition_.parameters.size(); ++i) {
        const Parameter& parameter = definition_.parameters[i];
        const Inner inner(run, scope);
        if (given.at(i)) scope.set(parameter.name, *given.at(i));
        else if (parameter.preset) scope.set(parameter.name, parameter.preset->value(run));
        else scope.set(parameter.name, undefined("parameter '" + parameter.name + "' was not provided"));
    }
    return make_text(run.budget, capture(definition_.body, run, scope));
}

class MacroStatement final : public Statement {
public:
    explicit MacroStatement(Definition definition) : Statement(definition.line), definition_(std::move(definition)) {}

private:
    Flow execute(Run& run) const override {
        run.scope->set(definition_.name, std::shared_ptr<Object>(std::make_shared<Macro>(definition_, run.scope)));
        return Flow::on;
    }
    Definition definition_;
};

}  // namespace

Step loop(int line, Target target, Node all, Node only_if, Block body, Block otherwise) {
    return std::make_unique<const For>(line, std::move(target), std::move(all), std::move(only_if), std::move(body),
                                       std::move(otherwise));
}

Step macro(int line, std::string name, std::vector<Parameter> parameters, Block body) {
    return std::make_unique<const MacroStatement>(
        Definition{line, std::move(name), std::move(parameters), std::move(body)});
}

}  // namespace hone::lm::jinja
