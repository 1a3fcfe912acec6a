#include "torch_lm/text/jinja/statements.hpp"
#include "torch_lm/text/jinja/values/print.hpp"

namespace hone::lm::jinja {
namespace {

template <class Execute> class Action final : public Statement {
public:
    Action(int line, Execute execute) : Statement(line), execute_(std::move(execute)) {}

private:
    Flow execute(Run& run) const override { return execute_(run); }
    Execute execute_;
};

template <class Execute> Step action(int line, Execute execute) {
    return std::make_unique<const Action<Execute>>(line, std::move(execute));
}

// The body's text through the filters behind "set" or "filter".
Value apply_filters(const Node& filters, const Block& body, Run& run) {
    Scope inner(run.scope), outer(run.scope);
    Value text = make_text(run.budget, capture(body, run, inner));
    if (!filters) return text;
    outer.set(captured_name, std::move(text));
    const Inner with(run, outer);
    return filters->value(run);
}

}  // namespace

Flow run_block(const Block& block, Run& run) {
    for (const auto& statement : block)
        if (const Flow flow = statement->run(run); flow != Flow::on) return flow;
    return Flow::on;
}

Text capture(const Block& block, Run& run, Scope& scope) {
    Text text;
    const Inner inner(run, scope, &text);
    run_block(block, run);
    return text;
}

void Target::assign(Run& run, const Value& value) const {
    if (!parts.empty()) {
        const std::vector<Value> values = elements(run.budget, value);
        if (values.size() != parts.size())
            throw Fault(std::to_string(values.size()) + " values do not fit into " + std::to_string(parts.size()) +
                        " names; name each value");
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i].assign(run, values[i]);
    } else if (attribute.empty()) {
        run.scope->set(name, value);
    } else {
        const Value* owner = run.scope->find(run.budget, name);
        auto* space = owner ? dynamic_cast<Namespace*>(owner->object()) : nullptr;
        if (!space)
            throw Fault("'" + name + "' is no namespace, so ." + attribute + " cannot be set; make it one: {% set " +
                        name + " = namespace() %}");
        space->set(attribute, value);
    }
}

Step literal(int line, std::string text) {
    return action(line, [text = Text(std::move(text))](Run& run) {
        run.print(text);
        return Flow::on;
    });
}

Step printed(int line, Node value) {
    return action(line, [value = std::move(value)](Run& run) {
        run.print(value->value(run));
        return Flow::on;
    });
}

Step branches(int line, std::vector<Branch> all) {
    return action(line, [all = std::move(all)](Run& run) {
        for (const Branch& branch : all)
            if (!branch.test || is_true(branch.test->value(run))) return run_block(branch.body, run);
        return Flow::on;
    });
}

Step leave_loop(int line, Flow flow) {
    return action(line, [flow](Run&) { return flow; });
}

Step assignment(int line, Target target, Node value) {
    return action(line, [target = std::move(target), value = std::move(value)](Run& run) {
        target.assign(run, value->value(run));
        return Flow::on;
    });
}

Step captured_assignment(int line, Target target, Node filters, Block body) {
    return action(line, [target = std::move(target), filters = std::move(filters), body = std::move(body)](Run& run) {
        target.assign(run, apply_filters(filters, body, run));
        return Flow::on;
    });
}

Step filtered(int line, Node filters, Block body) {
    return action(line, [filters = std::move(filters), body = std::move(body)](Run& run) {
        run.print(apply_filters(filters, body, run));
        return Flow::on;
    });
}

Step inner_block(int line, std::vector<std::pair<Target, Node>> variables, Block body) {
    return action(line, [variables = std::move(variables), body = std::move(body)](Run& run) {
        std::vector<Value> values;
        for (const auto& [target, value] : variables) values.push_back(value->value(run));
        Scope scope(run.scope);
        const Inner inner(run, scope);
        for (std::size_t i = 0; i < values.size(); ++i) variables[i].first.assign(run, values[i]);
        return run_block(body, run);
    });
}

}  // namespace hone::lm::jinja
