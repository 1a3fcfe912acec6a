// Tests: what stands behind "is".
#include "torch_lm/text/jinja/library/find_native.hpp"
#include "torch_lm/text/jinja/library/strings.hpp"
#include "torch_lm/text/jinja/values/print.hpp"
#include "torch_lm/text/jinja/values/unicode.hpp"

namespace hone::lm::jinja {
namespace {

template <class Type> Value is_of(Run&, const Value& self, const Given&) { return self.is<Type>(); }
template <bool wanted> Value is_flag(Run&, const Value& self, const Given&) {
    return self.is<bool>() && std::get<bool>(self) == wanted;
}
Value is_defined(Run&, const Value& self, const Given&) { return !self.is<Undefined>(); }
Value is_text(Run&, const Value& self, const Given&) { return self.text() != nullptr; }
Value is_number(Run&, const Value& self, const Given&) { return self.is_number(); }
Value is_mapping(Run&, const Value& self, const Given&) { return self.dict() != nullptr; }
Value is_iterable(Run&, const Value& self, const Given&) {
    return self.text() || self.list() || self.dict() || self.is<Undefined>();
}
Value is_sequence(Run&, const Value& self, const Given&) {  // has a length and elements by number or key
    return self.text() || self.dict() || self.is<Undefined>() || (self.list() && self.list()->has_index());
}
Value is_callable(Run&, const Value& self, const Given&) {
    return self.is<Undefined>() || (self.object() && self.object()->is_callable());
}

Value remainder(Run& run, const Value& self, const Value& by) { return calculate(run.budget, "%", self, by); }
Value is_even(Run& run, const Value& self, const Given&) {
    return equal(remainder(run, self, std::int64_t{2}), std::int64_t{0});
}
Value is_odd(Run& run, const Value& self, const Given&) {
    return equal(remainder(run, self, std::int64_t{2}), std::int64_t{1});
}
Value is_divisible(Run& run, const Value& self, const Given& given) {
    return equal(remainder(run, self, *given.at(0)), std::int64_t{0});
}

Value is_equal(Run& run, const Value& self, const Given& given) {
    run.budget.charge(std::min(weight(self), weight(*given.at(0))));
    return equal(self, *given.at(0));
}
Value is_unequal(Run& run, const Value& self, const Given& given) { return !is_true(is_equal(run, self, given)); }
Value is_less(Run&, const Value& self, const Given& given) { return compare(self, *given.at(0)) < 0; }
Value is_at_most(Run&, const Value& self, const Given& given) { return compare(self, *given.at(0)) <= 0; }
Value is_more(Run&, const Value& self, const Given& given) { return compare(self, *given.at(0)) > 0; }
Value is_at_least(Run&, const Value& self, const Given& given) { return compare(self, *given.at(0)) >= 0; }
Value is_in(Run& run, const Value& self, const Given& given) { return contains(run.budget, *given.at(0), self); }
Value is_same(Run& run, const Value& self, const Given& given) {
    return self.index() == given.at(0)->index() && is_true(is_equal(run, self, given));
}

// str.isupper, str.islower: has cased letters, all of that case
template <bool (*other)(const Character&)> Value has_case(Run& run, const Value& self, const Given&) {
    const Text text = to_text(run.budget, self);
    run.budget.charge(text.size());
    bool any = false;
    for (std::size_t at = 0; at < text.size();) {
        const Character c = character_at(text.bytes(), at);
        if (other(c)) return false;
        any |= is_cased(c);
        at += c.length;
    }
    return any;
}

constexpr Native tests[] = {
    {"defined", "", is_defined},
    {"undefined", "", is_of<Undefined>},
    {"none", "", is_of<None>},
    {"boolean", "", is_of<bool>},
    {"integer", "", is_of<std::int64_t>},
    {"float", "", is_of<double>},
    {"true", "", is_flag<true>},
    {"false", "", is_flag<false>},
    {"string", "", is_text},
    {"number", "", is_number},
    {"mapping", "", is_mapping},
    {"iterable", "", is_iterable},
    {"sequence", "", is_sequence},
    {"callable", "", is_callable},
    {"even", "", is_even},
    {"odd", "", is_odd},
    {"divisibleby", "num", is_divisible},
    {"upper", "", has_case<is_lower>},
    {"lower", "", has_case<is_upper>},
    {"in", "seq", is_in},
    {"sameas", "other", is_same},
    {"eq", "other", is_equal},
    {"==", "other", is_equal},
    {"equalto", "other", is_equal},
    {"ne", "other", is_unequal},
    {"!=", "other", is_unequal},
    {"lt", "other", is_less},
    {"<", "other", is_less},
    {"lessthan", "other", is_less},
    {"le", "other", is_at_most},
    {"<=", "other", is_at_most},
    {"gt", "other", is_more},
    {">", "other", is_more},
    {"greaterthan", "other", is_more},
    {"ge", "other", is_at_least},
    {">=", "other", is_at_least},
};

}  // namespace

const Native* find_test(std::string_view name) { return find_native(tests, name); }

}  // namespace hone::lm::jinja
