#include "torch_lm/text/jinja/expressions.hpp"
#include "torch_lm/text/jinja/values/print.hpp"

namespace hone::lm::jinja {
namespace {

// An expression out of a function: what each part needs is captured.
template <class Evaluate> class Part final : public Expression {
public:
    Part(int line, Evaluate evaluate) : Expression(line), evaluate_(std::move(evaluate)) {}

private:
    Value evaluate(Run& run) const override {
        return evaluate_(run, [this, &run] { at_line(run); });
    }
    Evaluate evaluate_;
};

template <class Evaluate> Node part(int line, Evaluate evaluate) {
    return std::make_unique<const Part<Evaluate>>(line, std::move(evaluate));
}

bool holds(Run& run, std::string_view sign, const Value& a, const Value& b) {
    run.budget.charge(std::min(weight(a), weight(b)));
    if (sign == "==") return equal(a, b);
    if (sign == "!=") return !equal(a, b);
    if (sign == "in") return contains(run.budget, b, a);
    if (sign == "not in") return !contains(run.budget, b, a);
    if (sign == "<") return compare(a, b) < 0;
    if (sign == "<=") return compare(a, b) <= 0;
    return sign == ">" ? compare(a, b) > 0 : compare(a, b) >= 0;
}

}  // namespace

Arguments ArgumentNodes::values(Run& run) const {
    Arguments all;
    for (const Node& node : positional) all.positional.push_back(node->value(run));
    for (const auto& [name, node] : named) all.named.emplace_back(name, node->value(run));
    return all;
}

Node constant(int line, Value value) {
    return part(line, [value = std::move(value)](Run&, auto&&) { return value; });
}

Node variable(int line, std::string name) {
    return part(line, [name = std::move(name)](Run& run, auto&&) -> Value {
        if (const Value* known = run.scope->find(run.budget, name)) return *known;
        if (const Native* function = find_function(name)) return as_value(*function, None{});
        return undefined("'" + name + "' is undefined");
    });
}

Node attribute(int line, Node of, std::string name) {
    return part(line, [of = std::move(of), name = std::move(name)](Run& run, auto&& at_line) {
        const Value owner = of->value(run);
        at_line();
        return attribute_of(run, owner, name);
    });
}

Node item(int line, Node of, Node key) {
    return part(line, [of = std::move(of), key = std::move(key)](Run& run, auto&& at_line) {
        const Value owner = of->value(run), name = key->value(run);
        at_line();
        Value found = item_of(run.budget, owner, name);
        const Native* method =
            found.is<Undefined>() && name.text() ? find_method(owner, name.text()->bytes()) : nullptr;
        return method ? as_value(*method, owner) : found;
    });
}

Node slice(int line, Node of, Node begin, Node end, Node step) {
    return part(line, [of = std::move(of), begin = std::move(begin), end = std::move(end), step = std::move(step)](
                          Run& run, auto&& at_line) {
        const auto bound = [&run](const Node& node) { return node ? node->value(run) : Value(None{}); };
        const Value owner = of->value(run);
        const Bounds bounds{bound(begin), bound(end), bound(step)};
        at_line();
        return slice_of(run.budget, owner, bounds);
    });
}

Node call(int line, Node function, ArgumentNodes arguments) {
    return part(line, [function = std::move(function), arguments = std::move(arguments)](Run& run, auto&& at_line) {
        const Value callee = function->value(run);
        const Arguments given = arguments.values(run);
        at_line();
        if (const Object* object = callee.object()) return object->call(run, given);
        const Undefined* none = callee.as<Undefined>();
        throw Fault((none ? *none->why : type_of(callee)) + " and cannot be called; define a macro of that name");
    });
}

Node filter(int line, Node of, const Native& filter, ArgumentNodes arguments) {
    return part(line, [of = std::move(of), &filter, arguments = std::move(arguments)](Run& run, auto&& at_line) {
        const Value self = of->value(run);
        const Arguments given = arguments.values(run);
        at_line();
        return filter(run, self, given);
    });
}

Node test(int line, Node of, const Native& test, ArgumentNodes arguments, bool negated) {
    return part(line, [of = std::move(of), &test, arguments = std::move(arguments), negated](Run& run, auto&& at_line) {
        const Value self = of->value(run);
        const Arguments given = arguments.values(run);
        at_line();
        return Value(is_true(test(run, self, given)) != negated);
    });
}

Node calculation(int line, std::string_view sign, Node a, Node b) {
    return part(line, [sign, a = std::move(a), b = std::move(b)](Run& run, auto&& at_line) {
        const Value left = a->value(run), right = b->value(run);
        at_line();
        return calculate(run.budget, sign, left, right);
    });
}

Node minus(int line, Node a) {
    return part(line, [a = std::move(a)](Run& run, auto&&) { return negative(a->value(run)); });
}

Node plus(int line, Node a) {
    return part(line, [a = std::move(a)](Run& run, auto&&) { return negative(negative(a->value(run))); });
}

Node concatenation(int line, Nodes parts) {
    return part(line, [parts = std::move(parts)](Run& run, auto&&) {
        Text text;
        for (const Node& node : parts) extend(run.budget, text, to_text(run.budget, node->value(run)));
        return make_text(run.budget, std::move(text));
    });
}

Node comparison(int line, Node first, std::vector<std::pair<std::string_view, Node>> rest) {
    return part(line, [first = std::move(first), rest = std::move(rest)](Run& run, auto&& at_line) {
        Value left = first->value(run);
        for (const auto& [sign, node] : rest) {
            Value right = node->value(run);
            at_line();
            if (!holds(run, sign, left, right)) return Value(false);
            left = std::move(right);
        }
        return Value(true);
    });
}

Node negation(int line, Node a) {
    return part(line, [a = std::move(a)](Run& run, auto&&) { return Value(!is_true(a->value(run))); });
}

Node conjunction(int line, Node a, Node b) {
    return part(line, [a = std::move(a), b = std::move(b)](Run& run, auto&&) {
        Value left = a->value(run);
        return is_true(left) ? b->value(run) : left;
    });
}

Node disjunction(int line, Node a, Node b) {
    return part(line, [a = std::move(a), b = std::move(b)](Run& run, auto&&) {
        Value left = a->value(run);
        return is_true(left) ? left : b->value(run);
    });
}

Node condition(int line, Node test, Node yes, Node no) {
    return part(line, [test = std::move(test), yes = std::move(yes), no = std::move(no)](Run& run, auto&&) {
        if (is_true(test->value(run))) return yes->value(run);
        return no ? no->value(run) : undefined("the condition does not hold and there is no \"else\"");
    });
}

Node list_display(int line, Nodes items, List::Kind kind) {
    return part(line, [items = std::move(items), kind](Run& run, auto&&) {
        std::vector<Value> values;
        for (const Node& node : items) values.push_back(node->value(run));
        return make_list(run.budget, std::move(values), kind);
    });
}

Node dict_display(int line, std::vector<std::pair<Node, Node>> items) {
    return part(line, [items = std::move(items)](Run& run, auto&&) {
        std::vector<std::pair<Value, Value>> values;
        for (const auto& [key, value] : items) {
            Value name = key->value(run);
            values.emplace_back(std::move(name), value->value(run));
        }
        return make_dict(run.budget, std::move(values));
    });
}

}  // namespace hone::lm::jinja
