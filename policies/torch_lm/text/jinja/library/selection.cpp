// Filters that apply another filter or a test to each element; and where every filter is found.
#include "torch_lm/text/jinja/library/find_native.hpp"

namespace hone::lm::jinja {
namespace {

const std::string& name_in(const Arguments& arguments, std::size_t i, const char* of_what) {
    const Value* value = i < arguments.positional.size() ? &arguments.positional[i] : nullptr;
    if (!value || !value->text()) throw Fault(std::string("the name of ") + of_what + " is left out; give it as a str");
    return value->text()->bytes();
}

Arguments behind(const Arguments& arguments, std::size_t first) {
    Arguments rest = arguments;
    rest.positional.erase(rest.positional.begin(), rest.positional.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                                 first, rest.positional.size())));
    return rest;
}

// These filters take what is empty, none or false for nothing.
std::vector<Value> elements_of(Run& run, const Value& value) {
    return is_true(value) ? elements(run.budget, value) : std::vector<Value>();
}

Value map_attribute(Run& run, const Value& self, const Given& given) {
    const Value *path = nullptr, *otherwise = nullptr;
    for (const auto& [name, value] : given.all.named) {
        if (name == "attribute") path = &value;
        else if (name == "default") otherwise = &value;
        else throw Fault("map takes attribute= and default=, not " + std::string(name) + "=; leave it out");
    }
    if (!path) throw Fault("map takes the name of a filter, or attribute=; give one");
    std::vector<Value> mapped;
    for (const Value& value : elements_of(run, self)) {
        Value found = element_along(run, value, *path);
        mapped.push_back(found.is<Undefined>() && otherwise ? *otherwise : std::move(found));
    }
    return make_list(run.budget, std::move(mapped), List::Kind::generator);
}

Value map(Run& run, const Value& self, const Given& given) {
    if (given.all.positional.empty()) return map_attribute(run, self, given);
    const std::string& name = name_in(given.all, 0, "the filter");
    const Native* filter = find_filter(name);
    if (!filter) throw Fault("the filter " + name + " is not known; name another in map");
    const Arguments arguments = behind(given.all, 1);
    std::vector<Value> mapped;
    for (const Value& value : elements_of(run, self)) {
        run.budget.step();
        mapped.push_back((*filter)(run, value, arguments));
    }
    return make_list(run.budget, std::move(mapped), List::Kind::generator);
}

template <bool by_attribute, bool keeps> Value select(Run& run, const Value& self, const Given& given) {
    if (by_attribute) name_in(given.all, 0, "the attribute");
    const bool has_test = given.all.positional.size() > by_attribute;
    const Native* test = has_test ? find_test(name_in(given.all, by_attribute, "the test")) : nullptr;
    if (has_test && !test)
        throw Fault("the test " + name_in(given.all, by_attribute, "the test") + " is not known; name another");
    const Arguments arguments = behind(given.all, by_attribute + 1);
    std::vector<Value> kept;
    for (const Value& value : elements_of(run, self)) {
        run.budget.step();
        const Value asked = by_attribute ? element_along(run, value, given.all.positional[0]) : value;
        if (is_true(test ? (*test)(run, asked, arguments) : asked) == keeps) kept.push_back(value);
    }
    return make_list(run.budget, std::move(kept), List::Kind::generator);
}

constexpr Native selecting_filters[] = {
    {"map", "*", map},
    {"select", "*", select<false, true>},
    {"reject", "*", select<false, false>},
    {"selectattr", "*", select<true, true>},
    {"rejectattr", "*", select<true, false>},
};

}  // namespace

const Native* find_filter(std::string_view name) {
    if (const Native* found = find_native(selecting_filters, name)) return found;
    const Native* found = find_text_filter(name);
    return found ? found : find_list_filter(name);
}

}  // namespace hone::lm::jinja
