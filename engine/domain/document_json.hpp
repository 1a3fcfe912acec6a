// domain/document_json.hpp: documents to JSON and back, by their tables. An optional without a value is an absent key;
// a number that is not finite is null, because JSON has none. Unknown keys are ignored, so that others may add some.
#pragma once
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

[[noreturn]] inline void refuse_document(const std::string& place, const std::string& cause) {
    throw Error(Blame::input, place, cause,
                "another version of hone may have written it: docs/wire.md and hone/documents.md say what is expected");
}

// `place` names the key for a refusal: "judgement.speedup.estimate".
template <class T> T read_value(const Json& json, const std::string& place);

template <Document T> T read_document(const Json& json, const std::string& place) {
    if (!json.is_object()) refuse_document(place, "is no table");
    T document;
    each_key<T>([&](const auto& key) {
        if constexpr (!std::remove_cvref_t<decltype(key)>::derived) {
            using Member = std::remove_cvref_t<decltype(document.*key.at)>;
            const auto found = json.find(key.name);
            const std::string where = place + "." + key.name;
            if constexpr (is_optional<Member>) {
                if (found != json.end() && !found->is_null())
                    document.*key.at = read_value<typename Member::value_type>(*found, where);
            } else {
                if (found == json.end()) refuse_document(where, "is missing");
                document.*key.at = read_value<Member>(*found, where);
            }
        }
    });
    return document;
}

template <class T> T read_value(const Json& json, const std::string& place) {
    if constexpr (Document<T>) {
        return read_document<T>(json, place);
    } else if constexpr (std::is_enum_v<T>) {
        if (!json.is_string()) refuse_document(place, "is no text");
        return parse_name(T{}, json.get<std::string>());
    } else if constexpr (std::same_as<T, bool>) {
        if (!json.is_boolean()) refuse_document(place, "is neither true nor false");
        return json.get<bool>();
    } else if constexpr (Whole<T>) {
        if (!json.is_number_integer()) refuse_document(place, "is no whole number");
        return json.get<T>();
    } else if constexpr (std::same_as<T, double>) {
        if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
        if (!json.is_number()) refuse_document(place, "is no number");
        return json.get<double>();
    } else if constexpr (std::same_as<T, std::string>) {
        if (!json.is_string()) refuse_document(place, "is no text");
        return json.get<std::string>();
    } else if constexpr (is_list<T>) {
        if (!json.is_array()) refuse_document(place, "is no list");
        T list;
        for (const Json& one : json) list.push_back(read_value<typename T::value_type>(one, place));
        return list;
    } else if constexpr (is_map<T>) {
        if (!json.is_object()) refuse_document(place, "is no table");
        T map;
        for (const auto& [name, one] : json.items())
            map[name] = read_value<typename T::mapped_type>(one, place + "." + name);
        return map;
    } else {
        static_assert(std::same_as<T, Json>);
        return json;
    }
}

}  // namespace hone
