// domain/document_json.hpp: documents to JSON and back, by their tables. An optional without a value is an absent key;
// a number that is not finite is null, because JSON has none.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/options.hpp"
#include "domain/document.hpp"

namespace hone {

template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_list = false;
template <class T> inline constexpr bool is_list<std::vector<T>> = true;
template <class T> inline constexpr bool is_map = false;
template <class T> inline constexpr bool is_map<std::map<std::string, T>> = true;
template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;
// A value with a notation of its own: notation (a type in LuaCATS terms), expected, from_json and to_json.
template <class T>
concept Noted = requires {
    T::notation;
};

template <class T> Json value_to_json(const T& value);

template <Document T> Json document_to_json(const T& document) {
    Json json = Json::object();
    each_key<T>([&](const auto& key) {
        const auto value = std::invoke(key.at, document);
        if constexpr (is_optional<std::remove_const_t<decltype(value)>>) {
            if (value) json[key.name] = value_to_json(*value);
        } else {
            json[key.name] = value_to_json(value);
        }
    });
    return json;
}

template <class T> Json value_to_json(const T& value) {
    if constexpr (Document<T>) {
        return document_to_json(value);
    } else if constexpr (Noted<T>) {
        return value.to_json();
    } else if constexpr (std::is_enum_v<T>) {
        return name_of(value);
    } else if constexpr (std::same_as<T, double>) {
        return std::isfinite(value) ? Json(value) : Json();
    } else if constexpr (is_list<T>) {
        Json list = Json::array();
        for (const typename T::value_type& one : value) list.push_back(value_to_json(one));
        return list;
    } else if constexpr (is_map<T>) {
        Json map = Json::object();
        for (const auto& [name, one] : value) map[name] = value_to_json(one);
        return map;
    } else {
        return value;
    }
}

// Reads one document. Errors are Error(input): `judgement: speedup.level: is no number; CURE`.
class DocumentReader {
public:
    // record: written by a program, where each key is expected and an unknown one is another version's affair.
    // person: written by hand, where an absent key has its preset and an unknown one is misspelt.
    enum class Of { record, person };
    DocumentReader(std::string place, Of of, std::string cure = {})
        : place_(std::move(place)), cure_(std::move(cure)), of_(of) {}

    template <Document T> T read(const Json& json, const std::string& path = {}) const {
        if (!json.is_object()) refuse(path, "is no table");
        if (of_ == Of::person) refuse_unknown<T>(json, path);
        T document;
        each_key<T>([&](const auto& key) {
            if constexpr (!std::remove_cvref_t<decltype(key)>::derived) read_key(json, path, key, document);
        });
        return document;
    }

    [[noreturn]] void refuse(const std::string& path, const std::string& cause) const {
        throw Error(Blame::input, place_, path.empty() ? cause : path + ": " + cause, cure_);
    }

private:
    static std::string below(const std::string& path, const std::string& name) {
        return path.empty() ? name : path + "." + name;
    }

    template <Document T> void refuse_unknown(const Json& json, const std::string& path) const {
        std::vector<std::string> names;
        each_key<T>([&](const auto& key) { names.emplace_back(key.name); });
        for (const auto& [name, value] : json.items())
            if (std::find(names.begin(), names.end(), name) == names.end())
                refuse(path, "\"" + name + "\": is no field of it" + suggestion(name, names));
    }

    template <Document T, class Key>
    void read_key(const Json& json, const std::string& path, const Key& key, T& document) const {
        auto& member = document.*key.at;
        using Member = std::remove_cvref_t<decltype(member)>;
        const auto found = json.find(key.name);
        const std::string where = below(path, key.name);
        if constexpr (is_optional<Member>) {
            if (found != json.end() && !found->is_null()) member = value<typename Member::value_type>(*found, where);
        } else {
            if (found != json.end()) member = value<Member>(*found, where);
            else if (of_ == Of::record) refuse(where, "is missing");
        }
    }

    // A document in a list is known by its name, if it has one.
    static std::string entry(const std::string& path, const Json& json, std::size_t number) {
        const bool named = json.is_object() && json.contains("name") && json["name"].is_string();
        return below(path, named ? json["name"].get<std::string>() : std::to_string(number));
    }

    template <class T> T value(const Json& json, const std::string& path) const {
        if constexpr (Document<T>) {
            return read<T>(json, path);
        } else if constexpr (Noted<T>) {
            const std::optional<T> noted = T::from_json(json);
            if (!noted) refuse(path, json.dump() + " is " + T::expected);
            return *noted;
        } else if constexpr (std::is_enum_v<T>) {
            if (!json.is_string()) refuse(path, "is no text");
            return parse_name(T{}, json.get<std::string>());
        } else if constexpr (std::same_as<T, bool>) {
            if (!json.is_boolean()) refuse(path, "is neither true nor false");
            return json.get<bool>();
        } else if constexpr (Whole<T>) {
            if (!json.is_number_integer()) refuse(path, "is no whole number");
            return json.get<T>();
        } else if constexpr (std::same_as<T, double>) {
            if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
            if (!json.is_number()) refuse(path, "is no number");
            return json.get<double>();
        } else if constexpr (std::same_as<T, std::string>) {
            if (!json.is_string()) refuse(path, "is no text");
            return json.get<std::string>();
        } else if constexpr (is_list<T>) {
            T list;
            if (json.is_object() && json.empty()) return list;  // an empty table of Lua may be either
            if (!json.is_array()) refuse(path, "is no list");
            for (const Json& one : json) {
                constexpr bool whole = Document<typename T::value_type> || is_map<typename T::value_type>;
                list.push_back(value<typename T::value_type>(one, whole ? entry(path, one, list.size() + 1) : path));
            }
            return list;
        } else if constexpr (is_map<T>) {
            T map;
            if (json.is_array() && json.empty()) return map;
            if (!json.is_object()) refuse(path, "is no table");
            for (const auto& [name, one] : json.items())
                map[name] = value<typename T::mapped_type>(one, below(path, name));
            return map;
        } else {
            static_assert(std::same_as<T, Json>);
            return json;
        }
    }

    std::string place_, cure_;
    Of of_;
};

// A record of a program; `place` is what it is called.
template <Document T> T read_record(const Json& json, const std::string& place) {
    return DocumentReader(place, DocumentReader::Of::record,
                          "another version of hone may have written it: hone/documents.md says what is expected")
        .read<T>(json);
}

}  // namespace hone
