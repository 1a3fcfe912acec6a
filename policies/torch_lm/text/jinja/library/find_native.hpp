// find_native.hpp: a function in a table, by its name.
#pragma once
#include <algorithm>
#include "torch_lm/text/jinja/arguments.hpp"

namespace hone::lm::jinja {

template <std::size_t n> const Native* find_native(const Native (&all)[n], std::string_view name) {
    const auto* found = std::find_if(all, all + n, [name](const Native& one) { return one.name == name; });
    return found == all + n ? nullptr : found;
}

const Native* find_text_method(std::string_view name);
const Native* find_list_filter(std::string_view name);
const Native* find_text_filter(std::string_view name);
// The attribute "a.0.b" of a value: of its element a the element 0, and of that b.
Value element_along(Run& run, const Value& value, const Value& path);

}  // namespace hone::lm::jinja
