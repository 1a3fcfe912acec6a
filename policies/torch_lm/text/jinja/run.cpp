#include "torch_lm/text/jinja/run.hpp"
#include "torch_lm/text/jinja/values/print.hpp"

namespace hone::lm::jinja {

void Scope::set(std::string_view name, Value value) {
    for (auto& [known, old] : variables_)
        if (known == name) {
            old = std::move(value);
            return;
        }
    variables_.emplace_back(name, std::move(value));
}

const Value* Scope::find(Budget& budget, std::string_view name) const {
    for (const Scope* scope = this; scope; scope = scope->outer_) {
        budget.charge(scope->variables_.size());
        for (const auto& [known, value] : scope->variables_)
            if (known == name) return &value;
    }
    return nullptr;
}

void Run::print(const Value& value) { print(to_text(budget, value)); }

void Run::print(const Text& text) { extend(budget, *out_, text); }

Nested::Nested(Run& run, int line) : run_(run) {
    if (run.nesting_ >= most_calls) throw Fault("macros and expressions are nested 1000 deep; call macros less deeply");
    run.line = line;
    run.budget.step();
    ++run.nesting_;
}

Value Namespace::attribute(std::string_view name) const {
    for (const auto& [known, value] : attributes_)
        if (known == name) return value;
    return Object::attribute(name);
}

void Namespace::set(std::string_view name, const Value& value) {
    check_is_data(value);
    for (auto& [known, old] : attributes_)
        if (known == name) {
            old = value;
            return;
        }
    if (attributes_.size() >= most_keys) throw Fault("a namespace has more than 256 attributes; use fewer");
    attributes_.emplace_back(name, value);
}

}  // namespace hone::lm::jinja
