// arguments.hpp: what a call is given, and the functions that hone brings.
#pragma once
#include "torch_lm/text/jinja/run.hpp"

namespace hone::lm::jinja {

class Arguments {
public:
    std::vector<Value> positional;
    std::vector<std::pair<std::string_view, Value>> named;
};

// The arguments in the order of a function's parameters. Borrowed.
class Given {
public:
    // parameters: "old new count=", a "=" behind those that may be left out; "*": the function reads `all` itself.
    // Throws Fault for arguments that are too many, unknown or left out.
    Given(std::string_view who, std::string_view parameters, const Arguments& arguments);
    const Arguments& all;

    const Value* at(std::size_t i) const { return values_[i]; }  // null: left out
    const Text* text(std::size_t i) const;  // null: left out or none; throws Fault for another type, as all below
    std::int64_t whole(std::size_t i, std::int64_t absent) const;
    bool flag(std::size_t i, bool absent) const { return values_[i] ? is_true(*values_[i]) : absent; }

private:
    void put(std::string_view parameter, const Value& value);
    [[noreturn]] void refuse(std::size_t i, const char* wanted) const;
    std::string_view who_, parameters_;
    std::vector<std::string_view> names_;
    std::vector<const Value*> values_;
};

// A filter, a test, a method or a global function. self: what it is applied to.
struct Native {
    std::string_view name, parameters;
    Value (*function)(Run& run, const Value& self, const Given& given);
    Value operator()(Run& run, const Value& self, const Arguments& arguments) const {
        return function(run, self, Given(name, parameters, arguments));
    }
};

// Null: there is none of the name.
const Native* find_filter(std::string_view name);
const Native* find_test(std::string_view name);
const Native* find_function(std::string_view name);
const Native* find_method(const Value& self, std::string_view name);
// value.name with its methods; undefined where there is none.
Value attribute_of(Run& run, const Value& value, std::string_view name);
// A function or a method as a value, which a template can call.
Value as_value(const Native& native, Value self);

}  // namespace hone::lm::jinja
