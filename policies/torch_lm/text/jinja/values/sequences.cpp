#include <utility>
#include "torch_lm/text/jinja/values/operators.hpp"
#include "torch_lm/text/jinja/values/unicode.hpp"

namespace hone::lm::jinja {
namespace {

using Whole = std::int64_t;

// An index or a bound as a whole number; null: it is none.
const Whole* whole(const Value& value, Whole& flag_as_number) {
    if (const bool* flag = value.as<bool>()) return flag_as_number = *flag, &flag_as_number;
    return value.as<Whole>();
}

std::vector<Value> characters(Budget& budget, const Text& text) {
    std::vector<Value> all;
    for (std::size_t at = 0, end; at < text.size(); at = end) {
        end = at + character_at(text.bytes(), at).length;
        all.push_back(make_text(budget, text.slice(at, end)));
    }
    return all;
}

bool is_indexed(const List* list) { return list && list->has_index(); }

// As Python's slice.indices: where a walk of `step` begins and where it ends, within n elements.
struct Walk {
    Whole begin, end, step;
};
Whole clamp(Whole at, Whole n, bool back) {
    if (at < 0) at = at < -n ? -1 : at + n;
    if (at < 0) return back ? -1 : 0;
    return at >= n ? (back ? n - 1 : n) : at;
}
Walk walk_of(const Whole* begin, const Whole* end, const Whole* step, Whole n) {
    const Whole by = step ? *step : 1;
    if (by == 0) throw Fault("a slice has the step 0; leave the step out or give another");
    const bool back = by < 0;
    return {begin ? clamp(*begin, n, back) : back ? n - 1 : 0, end ? clamp(*end, n, back) : back ? -1 : n, by};
}

std::vector<Value> taken(const std::vector<Value>& from, const Walk& walk) {
    std::vector<Value> items;
    const auto size = static_cast<Whole>(from.size());
    for (Whole at = walk.begin; walk.step > 0 ? at < walk.end : at > walk.end;) {
        items.push_back(from[static_cast<std::size_t>(at)]);
        if (walk.step > size || walk.step < -size) break;
        at += walk.step;
    }
    return items;
}

Value slice_text(Budget& budget, const Text& text, const Walk& walk) {
    budget.charge(text.size());
    if (walk.step == 1) {
        const std::size_t begin = offset_of(text.bytes(), static_cast<std::size_t>(walk.begin));
        const std::size_t end = offset_of(text.bytes(), static_cast<std::size_t>(std::max(walk.begin, walk.end)));
        return make_text(budget, text.slice(begin, end));
    }
    Text result;
    for (const Value& character : taken(characters(budget, text), walk)) result.append(*character.text());
    return make_text(budget, std::move(result));
}

}  // namespace

std::vector<Value> elements(Budget& budget, const Value& value) {
    if (value.is<Undefined>()) return {};
    if (const Text* text = value.text()) return characters(budget, *text);
    std::vector<Value> all;
    if (const List* list = value.list()) {
        budget.charge(sizeof(Value) * list->items.size());
        if (list->kind == List::Kind::generator && std::exchange(list->was_read, true)) return {};
        return list->items;
    }
    const Dict* dict = value.dict();
    if (!dict) throw Fault(type_of(value) + " has no elements to go through; give a list, a dict or a str");
    for (const auto& [key, item] : dict->items) all.push_back(key);
    return all;
}

std::size_t length(const Value& value) {
    if (value.is<Undefined>()) return 0;
    if (const Text* text = value.text()) return count_characters(text->bytes());
    if (const Dict* dict = value.dict()) return dict->items.size();
    if (value.list() && value.list()->has_length()) return value.list()->items.size();
    throw Fault(type_of(value) + " has no length" +
                (value.list() ? "; make a list of it with |list" : "; give a list, a dict or a str"));
}

Value item_of(Budget& budget, const Value& value, const Value& key) {
    if (const Undefined* none = value.as<Undefined>()) throw Fault(*none->why + "; ask \"is defined\" first");
    if (const Dict* dict = value.dict()) {
        budget.charge(weight(key) * dict->items.size());
        if (const Value* found = dict->find(key)) return *found;
    }
    Whole flag = 0;
    const Whole* index = whole(key, flag);
    if (index && (value.text() || is_indexed(value.list()))) {
        if (value.text()) budget.charge(value.text()->size());
        const auto n = static_cast<Whole>(length(value));
        const Whole at = *index < 0 ? *index + n : *index;
        if (at >= 0 && at < n) {
            if (value.list()) return value.list()->items[static_cast<std::size_t>(at)];
            return slice_text(budget, *value.text(), {at, at + 1, 1});
        }
    }
    if (value.object() && key.text()) return value.object()->attribute(key.text()->bytes());
    const std::string name = key.text() ? key.text()->bytes() : index ? std::to_string(*index) : type_of(key);
    return undefined(type_of(value) + " has no element '" + name.substr(0, 100) + "'");
}

Value slice_of(Budget& budget, const Value& value, const Bounds& bounds) {
    if (const Undefined* none = value.as<Undefined>()) throw Fault(*none->why + "; ask \"is defined\" first");
    Whole flags[3];
    const Whole *begin = whole(bounds.begin, flags[0]), *end = whole(bounds.end, flags[1]),
                *step = whole(bounds.step, flags[2]);
    for (const auto& [bound, number] : {std::pair(&bounds.begin, begin), {&bounds.end, end}, {&bounds.step, step}})
        if (!number && !bound->is<None>())
            throw Fault("a slice goes by whole numbers, not " + type_of(*bound) + "; convert it with |int");
    if (!value.text() && !is_indexed(value.list()))
        throw Fault(type_of(value) + " has no slices; give a list or a str");
    if (value.text()) budget.charge(value.text()->size());
    const Walk walk = walk_of(begin, end, step, static_cast<Whole>(length(value)));
    if (value.text()) return slice_text(budget, *value.text(), walk);
    return make_list(budget, taken(value.list()->items, walk), value.list()->kind);
}

std::string type_of(const List& list) {
    static const char* const kinds[] = {"list", "tuple", "dict_keys", "dict_values", "dict_items", "generator"};
    return kinds[static_cast<int>(list.kind)];
}

std::string type_of(const Value& value) {
    static const char* const names[] = {"undefined", "none", "bool", "int", "float", "str"};
    if (value.index() < std::size(names)) return names[value.index()];
    if (const Object* object = value.object()) return object->type();
    if (value.dict()) return "dict";
    return type_of(*value.list());
}

}  // namespace hone::lm::jinja
