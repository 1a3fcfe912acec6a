// domain/document.hpp: documents as structs. A struct has one table, which names each key, its unit and its meaning;
// from that table and the members' own types come its JSON (domain/document_json.hpp), the store's columns, the editor
// stubs and documents.md.
#pragma once
#include <tuple>
#include <type_traits>

namespace hone {

// `at` is a data member, or a function of the struct: what follows from other keys is written and never read.
template <class Struct, class Member> struct DocumentKey {
    const char* name;
    Member Struct::*at;
    const char *unit, *text;
    static constexpr bool derived = std::is_function_v<Member>;
};

template <class Struct, class Member>
constexpr DocumentKey<Struct, Member> key(const char* name, Member Struct::*at, const char* text) {
    return {name, at, "", text};
}
template <class Struct, class Member>
constexpr DocumentKey<Struct, Member> key(const char* name, Member Struct::*at, const char* unit, const char* text) {
    return {name, at, unit, text};
}

// A struct whose table() is a tuple of keys and whose `title` and `about` say what it is.
template <class T>
concept Document = requires {
    T::table();
    T::title;
    T::about;
};

template <Document T, class Visit> constexpr void each_key(Visit&& visit) {
    std::apply([&](const auto&... keys) { (visit(keys), ...); }, T::table());
}

}  // namespace hone
