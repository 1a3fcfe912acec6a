// Filters that go through the elements of a value.
#include <algorithm>
#include <bit>
#include <charconv>
#include "torch_lm/text/jinja/library/find_native.hpp"
#include "torch_lm/text/jinja/library/strings.hpp"
#include "torch_lm/text/jinja/values/print.hpp"

namespace hone::lm::jinja {
namespace {

Value attribute_or_self(Run& run, const Value& value, const Value* path) {
    return path && !path->is<None>() ? element_along(run, value, *path) : value;
}

// What is compared in order: texts without regard to case, unless that is asked for.
Value sort_key(Run& run, const Value& value, const Value* path, bool with_case) {
    Value key = attribute_or_self(run, value, path);
    return key.text() && !with_case ? make_text(run.budget, lower(run.budget, *key.text())) : key;
}

using Keyed = std::vector<std::pair<Value, Value>>;  // a key, its element

Keyed keyed(Run& run, const Value& self, const Value* path, bool with_case) {
    Keyed all;
    for (const Value& value : elements(run.budget, self))
        all.emplace_back(sort_key(run, value, path, with_case), value);
    return all;
}

void sort_by_key(Run& run, Keyed& all, bool backwards) {
    std::size_t sizes = 1;
    for (const auto& [key, value] : all) sizes += 64 + weight(key);
    run.budget.charge(sizes * std::bit_width(all.size()));
    std::stable_sort(all.begin(), all.end(), [backwards](const auto& a, const auto& b) {
        return backwards ? compare(b.first, a.first) < 0 : compare(a.first, b.first) < 0;
    });
}

Value sort(Run& run, const Value& self, const Given& given) {
    Keyed all = keyed(run, self, given.at(2), given.flag(1, false));
    sort_by_key(run, all, given.flag(0, false));
    std::vector<Value> sorted;
    for (auto& [key, value] : all) sorted.push_back(std::move(value));
    return make_list(run.budget, std::move(sorted));
}

template <bool largest> Value extreme(Run& run, const Value& self, const Given& given) {
    const Keyed all = keyed(run, self, given.at(1), given.flag(0, false));
    if (all.empty()) return undefined("an empty list has no largest and no smallest element");
    const auto less = [](const auto& a, const auto& b) { return compare(a.first, b.first) < 0; };
    if (!largest) return std::min_element(all.begin(), all.end(), less)->second;
    return std::max_element(all.begin(), all.end(), less)->second;
}

Value unique(Run& run, const Value& self, const Given& given) {
    std::vector<Value> kept, keys;
    for (auto& [key, value] : keyed(run, self, given.at(1), given.flag(0, false))) {
        run.budget.charge(64 * keys.size() + weight(key));
        if (std::any_of(keys.begin(), keys.end(), [&k = key](const Value& known) { return equal(known, k); })) continue;
        keys.push_back(key);
        kept.push_back(value);
    }
    return make_list(run.budget, std::move(kept), List::Kind::generator);
}

Value dictsort(Run& run, const Value& self, const Given& given) {
    const std::string by = given.text(1) ? given.text(1)->bytes() : "key";
    if (!self.dict()) throw Fault("dictsort takes a dict, not " + type_of(self) + "; use |sort for a list");
    if (by != "key" && by != "value") throw Fault("dictsort goes by \"key\" or by \"value\"; name one of them");
    Keyed all;
    for (const auto& [key, value] : self.dict()->items)
        all.emplace_back(sort_key(run, by == "key" ? key : value, nullptr, given.flag(0, false)),
                         make_list(run.budget, {key, value}, List::Kind::tuple));
    sort_by_key(run, all, given.flag(2, false));
    std::vector<Value> sorted;
    for (auto& [key, pair] : all) sorted.push_back(std::move(pair));
    return make_list(run.budget, std::move(sorted));
}

Value join_filter(Run& run, const Value& self, const Given& given) {
    std::vector<Text> parts;
    for (const Value& value : elements(run.budget, self))
        parts.push_back(to_text(run.budget, attribute_or_self(run, value, given.at(1))));
    return make_text(run.budget, join(run.budget, parts, given.at(0) ? to_text(run.budget, *given.at(0)) : Text()));
}

template <bool front> Value end_of(Run& run, const Value& self, const Given&) {
    const std::vector<Value> all = elements(run.budget, self);
    if (all.empty()) return undefined("what is empty has no first and no last element");
    return front ? all.front() : all.back();
}

Value count(Run&, const Value& self, const Given&) { return static_cast<std::int64_t>(length(self)); }

Value to_list_filter(Run& run, const Value& self, const Given&) {
    return make_list(run.budget, elements(run.budget, self));
}

Value reverse(Run& run, const Value& self, const Given&) {
    if (self.text()) return slice_of(run.budget, self, {None{}, None{}, std::int64_t{-1}});
    std::vector<Value> all = elements(run.budget, self);
    std::reverse(all.begin(), all.end());
    return make_list(run.budget, std::move(all), List::Kind::generator);
}

Value items(Run& run, const Value& self, const Given&) {
    if (self.is<Undefined>()) return make_list(run.budget, {}, List::Kind::generator);
    if (!self.dict()) throw Fault("items takes a dict, not " + type_of(self) + "; loop over a list as it is");
    std::vector<Value> all;
    for (const auto& [key, value] : self.dict()->items)
        all.push_back(make_list(run.budget, {key, value}, List::Kind::tuple));
    return make_list(run.budget, std::move(all), List::Kind::generator);
}

Value sum(Run& run, const Value& self, const Given& given) {
    Value total = given.at(1) ? *given.at(1) : Value(std::int64_t{0});
    for (const Value& value : elements(run.budget, self))
        total = calculate(run.budget, "+", total, attribute_or_self(run, value, given.at(0)));
    return total;
}

Value preset(Run& run, const Value& self, const Given& given) {
    const bool absent = self.is<Undefined>() || (given.flag(1, false) && !is_true(self));
    return !absent ? self : given.at(0) ? *given.at(0) : make_text(run.budget, Text());
}

Value attr(Run&, const Value& self, const Given& given) {
    if (!given.text(0)) throw Fault("attr takes the name of an attribute; give it as a str");
    if (self.object()) return self.object()->attribute(given.text(0)->bytes());
    const Native* method = find_method(self, given.text(0)->bytes());
    return method ? as_value(*method, self) : undefined(type_of(self) + " has no such attribute");
}

constexpr Native list_filters[] = {
    {"sort", "reverse= case_sensitive= attribute=", sort},
    {"min", "case_sensitive= attribute=", extreme<false>},
    {"max", "case_sensitive= attribute=", extreme<true>},
    {"unique", "case_sensitive= attribute=", unique},
    {"dictsort", "case_sensitive= by= reverse=", dictsort},
    {"join", "d= attribute=", join_filter},
    {"first", "", end_of<true>},
    {"last", "", end_of<false>},
    {"length", "", count},
    {"count", "", count},
    {"list", "", to_list_filter},
    {"reverse", "", reverse},
    {"items", "", items},
    {"sum", "attribute= start=", sum},
    {"default", "default_value= boolean=", preset},
    {"d", "default_value= boolean=", preset},
    {"attr", "name", attr},
};

}  // namespace

const Native* find_list_filter(std::string_view name) { return find_native(list_filters, name); }

Value element_along(Run& run, const Value& value, const Value& path) {
    if (!path.text()) return item_of(run.budget, value, path);
    const Text dot(".");
    Value at = value;
    for (const Text& part : split(run.budget, *path.text(), &dot, -1, false)) {
        std::int64_t index = 0;
        const char *begin = part.bytes().data(), *end = begin + part.size();
        const bool is_index = part.size() && std::from_chars(begin, end, index).ptr == end && index >= 0;
        at = item_of(run.budget, at, is_index ? Value(index) : make_text(run.budget, part));
    }
    return at;
}

}  // namespace hone::lm::jinja
