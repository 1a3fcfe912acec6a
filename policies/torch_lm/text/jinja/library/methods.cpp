// Methods of lists and dicts, and which value has which methods.
#include <algorithm>
#include "torch_lm/text/jinja/arguments.hpp"
#include "torch_lm/text/jinja/library/find_native.hpp"

namespace hone::lm::jinja {
namespace {

using Kind = List::Kind;
template <Kind what> Value view_method(Run& run, const Value& self, const Given&) {
    std::vector<Value> all;
    for (const auto& [key, value] : self.dict()->items) {
        if (what == Kind::items) all.push_back(make_list(run.budget, {key, value}, List::Kind::tuple));
        else all.push_back(what == Kind::keys ? key : value);
    }
    return make_list(run.budget, std::move(all), what);
}

Value get_method(Run& run, const Value& self, const Given& given) {
    run.budget.charge(weight(*given.at(0)) * self.dict()->items.size());
    const Value* found = self.dict()->find(*given.at(0));
    return found ? *found : given.at(1) ? *given.at(1) : Value(None{});
}

Value itself(Run&, const Value& self, const Given&) { return self; }

Value refuse_change(Run&, const Value& self, const Given&) {
    throw Fault(type_of(self) + " cannot be changed; build a new one (list + [item], dict(old, key=value))");
}

constexpr Native of_dicts[] = {
    {"items", "", view_method<Kind::items>},
    {"keys", "", view_method<Kind::keys>},
    {"values", "", view_method<Kind::values>},
    {"get", "key default=", get_method},
    {"copy", "", itself},
    {"pop", "*", refuse_change},
    {"popitem", "*", refuse_change},
    {"update", "*", refuse_change},
    {"clear", "*", refuse_change},
    {"setdefault", "*", refuse_change},
};

Value index_in_list(Run& run, const Value& self, const Given& given) {
    run.budget.charge(weight(self));
    const auto& items = self.list()->items;
    const auto found = std::find_if(items.begin(), items.end(), [&](const Value& v) { return equal(v, *given.at(0)); });
    if (found == items.end()) throw Fault("the value that index looks for is not in the list; ask \"in\" first");
    return static_cast<std::int64_t>(found - items.begin());
}

Value count_in_list(Run& run, const Value& self, const Given& given) {
    run.budget.charge(weight(self));
    const auto& items = self.list()->items;
    return static_cast<std::int64_t>(
        std::count_if(items.begin(), items.end(), [&](const Value& v) { return equal(v, *given.at(0)); }));
}

constexpr Native of_lists[] = {
    {"index", "value", index_in_list}, {"count", "value", count_in_list}, {"copy", "", itself},
    {"append", "*", refuse_change},    {"extend", "*", refuse_change},    {"insert", "*", refuse_change},
    {"remove", "*", refuse_change},    {"pop", "*", refuse_change},       {"clear", "*", refuse_change},
    {"sort", "*", refuse_change},      {"reverse", "*", refuse_change},
};

}  // namespace

const Native* find_method(const Value& self, std::string_view name) {
    if (self.text()) return find_text_method(name);
    if (self.dict()) return find_native(of_dicts, name);
    return self.list() && self.list()->kind == List::Kind::list ? find_native(of_lists, name) : nullptr;
}

}  // namespace hone::lm::jinja
