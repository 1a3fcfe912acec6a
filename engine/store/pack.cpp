#include "store/pack.hpp"
#include <bit>
#include <cstring>

static_assert(std::endian::native == std::endian::little);

namespace hone {
namespace {

template <class T> std::string bytes_of(const std::vector<T>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T, class Wide> Json unpack(std::string_view bytes) {
    Json list = Json::array();
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        list.push_back(static_cast<Wide>(value));
    }
    return list;
}

}  // namespace

std::optional<std::string> pack_ids(const Json& list) {
    if (!list.is_array()) return std::nullopt;
    std::vector<std::int32_t> values;
    for (const Json& item : list) {
        if (!item.is_number_integer() || item.get<std::int64_t>() != item.get<std::int32_t>()) return std::nullopt;
        values.push_back(item.get<std::int32_t>());
    }
    return bytes_of(values);
}

std::optional<std::string> pack_floats(const Json& list) {
    if (!list.is_array()) return std::nullopt;
    std::vector<float> values;
    for (const Json& item : list) {
        if (!item.is_number_float() || item.get<double>() != static_cast<double>(item.get<float>()))
            return std::nullopt;
        values.push_back(item.get<float>());
    }
    return bytes_of(values);
}

Json unpack_ids(std::string_view bytes) { return unpack<std::int32_t, std::int64_t>(bytes); }
Json unpack_floats(std::string_view bytes) { return unpack<float, double>(bytes); }

Json take(Json& object, const char* key) {
    const auto at = object.find(key);
    if (at == object.end()) return nullptr;
    Json value = std::move(*at);
    object.erase(at);
    return value;
}

}  // namespace hone
