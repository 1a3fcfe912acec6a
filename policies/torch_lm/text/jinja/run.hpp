// run.hpp: the state of one evaluation of a template.
#pragma once
#include <ctime>
#include <utility>
#include "torch_lm/text/jinja/values/operators.hpp"

namespace hone::lm::jinja {

// Variables of a block. Lives on the stack of the function that runs the block; names belong to the tree, or to whom
// gave the first scope.
class Scope {
public:
    explicit Scope(const Scope* outer) : outer_(outer) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    void set(std::string_view name, Value value);
    const Value* find(Budget& budget, std::string_view name) const;  // here, then outside; null: nowhere

private:
    const Scope* outer_;
    std::vector<std::pair<std::string_view, Value>> variables_;
};

class Run {
public:
    Run(std::size_t input_bytes, std::time_t time) : budget(input_bytes), now(time) {}
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void print(const Value& value);
    void print(const Text& text);

    Budget budget;
    std::time_t now;
    Scope* scope = nullptr;
    int line = 0;  // of the part that is evaluated, for errors

private:
    friend class Inner;
    friend class Nested;
    Text* out_ = nullptr;
    int nesting_ = 0;
};

// Within its life: a scope of its own, and what is printed goes to `out`.
class Inner {
public:
    Inner(Run& run, Scope& scope, Text* out = nullptr)
        : run_(run), scope_(std::exchange(run.scope, &scope)), out_(run.out_) {
        if (out) run.out_ = out;
    }
    Inner(const Inner&) = delete;
    Inner& operator=(const Inner&) = delete;
    ~Inner() {
        run_.scope = scope_;
        run_.out_ = out_;
    }

private:
    Run& run_;
    Scope* scope_;
    Text* out_;
};

// One part of the tree is being evaluated.
class Nested {
public:
    Nested(Run& run, int line);
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() { --run_.nesting_; }

private:
    Run& run_;
};

// A namespace, whose attributes a template may set.
class Namespace : public Object {
public:
    const char* type() const override { return "namespace"; }
    Value attribute(std::string_view name) const override;
    void set(std::string_view name, const Value& value);

private:
    std::vector<std::pair<std::string, Value>> attributes_;
};

}  // namespace hone::lm::jinja
