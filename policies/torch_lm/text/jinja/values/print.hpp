// print.hpp: values as text: as {{ }} prints them (Python's str and repr), and as JSON.
#pragma once
#include "torch_lm/text/jinja/values/value.hpp"

namespace hone::lm::jinja {

Text to_text(Budget& budget, const Value& value);  // str: a text stays as it is, with its spans
std::string print_float(double number);            // the shortest digits that give the number back, as repr

struct JsonForm {
    bool ascii = false, sorted = false;
    std::string item_separator = ", ", key_separator = ": ";
    bool indents = false;  // each item on a line of its own, behind `indent` once a level
    std::string indent;
};
std::string to_json(Budget& budget, const Value& value, const JsonForm& form);  // json.dumps

}  // namespace hone::lm::jinja
