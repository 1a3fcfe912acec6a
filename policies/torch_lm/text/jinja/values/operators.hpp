// operators.hpp: what Python's operators and Jinja's printing make of values.
#pragma once
#include <compare>
#include "torch_lm/text/jinja/values/value.hpp"

namespace hone::lm::jinja {

bool is_true(const Value& value);
bool equal(const Value& a, const Value& b);
std::partial_ordering compare(const Value& a, const Value& b);      // throws Fault for what has no order
bool contains(Budget& budget, const Value& all, const Value& one);  // one in all
Value calculate(Budget& budget, std::string_view sign, const Value& a, const Value& b);  // + - * / // % **
Value negative(const Value& value);
double to_double(const Value& number);

// Python's name of its type: "str", "int", ...
std::string type_of(const Value& value);
std::string type_of(const List& list);
// The elements that a loop meets: of a list, keys of a dict, characters of a text, nothing of what is undefined.
std::vector<Value> elements(Budget& budget, const Value& value);
std::size_t length(const Value& value);  // throws Fault where there is none
// value[key] and value.name without methods; undefined where there is none.
Value item_of(Budget& budget, const Value& value, const Value& key);
struct Bounds {
    Value begin, end, step;  // None: left out
};
Value slice_of(Budget& budget, const Value& value, const Bounds& bounds);

std::size_t find_bytes(std::string_view text, std::string_view part, std::size_t from);  // npos; in linear time

}  // namespace hone::lm::jinja
