#include <algorithm>
#include <cstring>
#include "torch_lm/text/jinja/values/operators.hpp"

namespace hone::lm::jinja {
namespace {

bool same_items(const List& a, const List& b) {
    if (a.kind != b.kind || a.kind == List::Kind::generator || a.weight != b.weight) return &a == &b;
    return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), equal);
}

bool same_entries(const Dict& a, const Dict& b) {
    if (a.items.size() != b.items.size() || a.weight != b.weight) return false;
    return std::all_of(a.items.begin(), a.items.end(), [&b](const auto& pair) {
        const Value* other = b.find(pair.first);
        return other && equal(pair.second, *other);
    });
}

std::partial_ordering compare_lists(const List& a, const List& b) {
    for (std::size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i)
        if (!equal(a.items[i], b.items[i])) return compare(a.items[i], b.items[i]);
    return a.items.size() <=> b.items.size();
}

}  // namespace

bool is_true(const Value& value) {
    if (const bool* flag = value.as<bool>()) return *flag;
    if (value.is_number()) return to_double(value) != 0;
    if (const Text* text = value.text()) return text->size() > 0;
    if (const List* list = value.list()) return list->kind == List::Kind::generator || !list->items.empty();
    if (const Dict* dict = value.dict()) return !dict->items.empty();
    return value.object() != nullptr;
}

double to_double(const Value& number) {
    if (const bool* flag = number.as<bool>()) return *flag;
    if (const std::int64_t* whole = number.as<std::int64_t>()) return static_cast<double>(*whole);
    return std::get<double>(number);
}

bool equal(const Value& a, const Value& b) {
    if (a.is<std::int64_t>() && b.is<std::int64_t>()) return std::get<std::int64_t>(a) == std::get<std::int64_t>(b);
    if (a.is_number() && b.is_number()) return to_double(a) == to_double(b);
    if (a.text() && b.text()) return a.text()->bytes() == b.text()->bytes();
    if (a.list() && b.list()) return same_items(*a.list(), *b.list());
    if (a.dict() && b.dict()) return same_entries(*a.dict(), *b.dict());
    if (a.object()) return a.object() == b.object();
    return (a.is<None>() && b.is<None>()) || (a.is<Undefined>() && b.is<Undefined>());
}

std::partial_ordering compare(const Value& a, const Value& b) {
    if (a.is<std::int64_t>() && b.is<std::int64_t>()) return std::get<std::int64_t>(a) <=> std::get<std::int64_t>(b);
    if (a.is_number() && b.is_number()) return to_double(a) <=> to_double(b);
    if (a.text() && b.text()) return a.text()->bytes() <=> b.text()->bytes();
    if (a.list() && b.list() && a.list()->has_index() && a.list()->kind == b.list()->kind)
        return compare_lists(*a.list(), *b.list());
    for (const Value* value : {&a, &b})
        if (const Undefined* none = value->as<Undefined>()) throw Fault(*none->why + "; ask \"is defined\" first");
    throw Fault(type_of(a) + " and " + type_of(b) + " have no order; convert one of them");
}

std::size_t find_bytes(std::string_view text, std::string_view part, std::size_t from) {
    if (from > text.size()) return std::string_view::npos;
    if (part.empty()) return from;
    const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
    return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

bool contains(Budget& budget, const Value& all, const Value& one) {
    budget.charge(weight(all));
    if (const Text* text = all.text()) {
        if (!one.text())
            throw Fault("only a str can be \"in\" a str, not " + type_of(one) + "; convert it with |string");
        return find_bytes(text->bytes(), one.text()->bytes(), 0) != std::string_view::npos;
    }
    if (const Dict* dict = all.dict()) return dict->find(one) != nullptr;
    const std::vector<Value> items = elements(budget, all);
    return std::any_of(items.begin(), items.end(), [&one](const Value& item) { return equal(item, one); });
}

}  // namespace hone::lm::jinja
