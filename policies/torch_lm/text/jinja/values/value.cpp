#include "torch_lm/text/jinja/values/value.hpp"
#include <algorithm>
#include "torch_lm/text/jinja/values/operators.hpp"

namespace hone::lm::jinja {
namespace {

constexpr std::size_t own_weight = 64;  // of an element, above what its value takes

// Checks what goes into a list or dict and adds it up.
template <class Container> void hold(Container& container, const Value& value) {
    check_is_data(value);
    container.weight += own_weight + weight(value);
    container.depth = std::max(container.depth, 1 + depth(value));
    if (container.weight > most_bytes) throw Fault("a list or dict holds more than 64 MiB; build smaller ones");
    if (container.depth > most_depth) throw Fault("lists or dicts hold each other 100 deep; nest them less");
}

}  // namespace

Budget::Budget(std::size_t input_bytes) : left_((256u << 20) + 1024 * std::min(input_bytes, most_bytes)) {}

void Budget::refuse() {
    throw Fault(
        "the template does not come to an end: it used up what it may compute for these messages; "
        "shorten its loops or what they build");
}

Value Object::attribute(std::string_view name) const {
    return undefined(std::string(type()) + " has no attribute '" + std::string(name) + "'");
}

Value Object::call(Run&, const Arguments&) const { throw Fault(std::string(type()) + " cannot be called"); }

const Value* Dict::find(const Value& key) const {
    for (const auto& [known, value] : items)
        if (equal(known, key)) return &value;
    return nullptr;
}

void extend(Budget& budget, Text& text, const Text& more) {
    budget.charge(more.size());
    if (text.size() + more.size() > most_bytes) throw Fault("a text has more than 64 MiB; build a shorter one");
    text.append(more);
}

Value make_text(Budget& budget, Text text) {
    if (text.size() > most_bytes) throw Fault("a text has more than 64 MiB; build a shorter one");
    budget.charge(text.size() + own_weight);
    return std::make_shared<const Text>(std::move(text));
}

Value make_list(Budget& budget, std::vector<Value> items, List::Kind kind) {
    budget.charge(own_weight * (1 + items.size()));
    auto list = std::make_shared<List>();
    for (const Value& item : items) hold(*list, item);
    list->items = std::move(items);
    list->kind = kind;
    return std::shared_ptr<const List>(std::move(list));
}

Value make_dict(Budget& budget, std::vector<std::pair<Value, Value>> items) {
    auto dict = std::make_shared<Dict>();
    for (auto& [key, value] : items) {
        if (key.list() || key.dict()) throw Fault("a list or dict cannot be a key; use a text or a number");
        budget.charge(own_weight + weight(key) * (1 + dict->items.size()));
        hold(*dict, key);
        hold(*dict, value);
        const auto known = std::find_if(dict->items.begin(), dict->items.end(),
                                        [&name = key](const auto& pair) { return equal(pair.first, name); });
        if (known != dict->items.end()) known->second = std::move(value);
        else dict->items.emplace_back(std::move(key), std::move(value));
        if (dict->items.size() > most_keys) throw Fault("a dict has more than 256 keys; use fewer");
    }
    return std::shared_ptr<const Dict>(std::move(dict));
}

Value undefined(std::string why) { return Undefined{std::make_shared<const std::string>(std::move(why))}; }

std::size_t weight(const Value& value) {
    if (const Text* text = value.text()) return text->size();
    if (const List* list = value.list()) return list->weight;
    if (const Dict* dict = value.dict()) return dict->weight;
    return 0;
}

int depth(const Value& value) {
    if (const List* list = value.list()) return list->depth;
    if (const Dict* dict = value.dict()) return dict->depth;
    return 0;
}

std::int32_t foreign_source(const Value& value) {
    if (const Text* text = value.text()) return text->foreign_source();
    std::int32_t source = by_template;
    if (const List* list = value.list())
        for (const Value& item : list->items) source = std::max(source, foreign_source(item));
    if (const Dict* dict = value.dict())
        for (const auto& [key, item] : dict->items)
            source = std::max({source, foreign_source(key), foreign_source(item)});
    return source;
}

void check_is_data(const Value& value) {
    if (const Object* object = value.object())
        throw Fault(std::string(object->type()) + " cannot stand in a list, dict or namespace; keep it in a variable");
}

}  // namespace hone::lm::jinja
