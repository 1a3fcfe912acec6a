// domain/document_text.hpp: the tables of documents as text: what editor stubs, documents.md and the columns of the
// store are made of.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include "domain/document_json.hpp"

namespace hone {

struct KeyText {
    std::string name, type;  // type in LuaCATS terms; "?" at its end: the key may be absent
    std::string unit, text;
    std::string remark;  // both in one line
};

struct DocumentText {
    std::string title, about;
    std::vector<KeyText> keys;
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const KeyText& one : keys) all.push_back(one.name);
        return all;
    }
};

template <class T> struct unwrapped { using type = T; };
template <class T> struct unwrapped<std::optional<T>> { using type = T; };

inline std::string list_name(const std::string& of) {
    return (of.find('|') == std::string::npos ? of : "(" + of + ")") + "[]";
}

template <class T> std::string type_name() {
    if constexpr (is_optional<T>) return type_name<typename T::value_type>() + "?";
    else if constexpr (is_list<T>) return list_name(type_name<typename T::value_type>());
    else if constexpr (is_map<T>) return "table<string, " + type_name<typename T::mapped_type>() + ">";
    else if constexpr (Document<T>) return T::title;
    else if constexpr (Noted<T>) return T::notation;
    else if constexpr (std::same_as<T, bool>) return "boolean";
    else if constexpr (Whole<T>) return "integer";
    else if constexpr (std::same_as<T, double>) return "number";
    else if constexpr (std::same_as<T, Json>) return "any";
    else return "string";
}

template <Document T, class Key>
using value_of = std::remove_cvref_t<std::invoke_result_t<decltype(Key::at), const T&>>;

template <Document T> DocumentText describe() {
    DocumentText text{T::title, T::about, {}};
    each_key<T>([&]<class Key>(const Key& key) {
        const std::string unit = key.unit, said = key.text;
        text.keys.push_back(
            {key.name, type_name<value_of<T, Key>>(), unit, said, unit.empty() ? said : "(" + unit + ") " + said});
    });
    return text;
}

// The document and those within it, each once, in order of first appearance.
template <Document T> void describe_all(std::vector<DocumentText>& all) {
    if (std::any_of(all.begin(), all.end(), [](const DocumentText& one) { return one.title == T::title; })) return;
    all.push_back(describe<T>());
    each_key<T>([&]<class Key>(const Key&) {
        using Value = typename unwrapped<value_of<T, Key>>::type;
        if constexpr (Document<Value>) describe_all<Value>(all);
        if constexpr (is_list<Value>)
            if constexpr (Document<typename Value::value_type>) describe_all<typename Value::value_type>(all);
    });
}

struct Column {
    std::string name, type, path;  // "speedup_lower", "REAL", "speedup.lower"
};

// A column for each number, text and truth value of a document.
template <Document T> void add_columns(std::vector<Column>& columns, const std::string& above = {}) {
    each_key<T>([&]<class Key>(const Key& key) {
        using Value = typename unwrapped<value_of<T, Key>>::type;
        const std::string path = above.empty() ? key.name : above + "." + key.name;
        if constexpr (Document<Value>) {
            add_columns<Value>(columns, path);
        } else if constexpr (!is_list<Value> && !is_map<Value> && !std::same_as<Value, Json>) {
            std::string name = path;
            std::replace(name.begin(), name.end(), '.', '_');
            const char* type = std::same_as<Value, double> ? "REAL" : std::integral<Value> ? "INTEGER" : "TEXT";
            columns.push_back({name, type, path});
        }
    });
}

}  // namespace hone
