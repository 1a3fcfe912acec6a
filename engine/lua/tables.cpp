#include "lua/tables.hpp"
#include <openssl/evp.h>
#include <algorithm>
#include <cstring>
#include "base/error.hpp"
#include "base/printable.hpp"
#include "lua/stack.hpp"

namespace hone::lua {
namespace {

struct Reader {
    lua_State* L;
    std::size_t values = 0;

    Json value(int index, const std::string& path, int depth) {
        if (++values > max_table_values) refuse(path, "more than " + std::to_string(max_table_values) + " values");
        switch (lua_type(L, index)) {
            case LUA_TNIL:
                return nullptr;
            case LUA_TBOOLEAN:
                return lua_toboolean(L, index) != 0;
            case LUA_TNUMBER:
                return lua_isinteger(L, index) ? Json(lua_tointeger(L, index)) : Json(lua_tonumber(L, index));
            case LUA_TSTRING:
                return text(index, path);
            case LUA_TTABLE:
                return table(index, path, depth + 1);
            case LUA_TLIGHTUSERDATA:
                if (!lua_touserdata(L, index)) return nullptr;
        }
        refuse(path, std::string("a ") + luaL_typename(L, index) + " cannot be stored");
    }

    std::string text(int index, const std::string& path) {
        std::string bytes = Type<std::string>::get(L, index);
        if (!is_utf8(bytes)) refuse(path, "a text that is no UTF-8 cannot be stored");
        return bytes;
    }

    Json table(int index, const std::string& path, int depth) {
        if (depth > max_table_depth)
            refuse(path, "deeper than " + std::to_string(max_table_depth) + " tables (a cycle?)");
        luaL_checkstack(L, 4, nullptr);
        index = lua_absindex(L, index);
        const auto length = static_cast<lua_Integer>(lua_rawlen(L, index));
        Json result = Json::array();
        if (length > 0) result.get_ref<Json::array_t&>().reserve(static_cast<std::size_t>(length));
        for (lua_Integer i = 1; i <= length; ++i) {
            lua_rawgeti(L, index, i);
            result.push_back(value(-1, path, depth));
            lua_pop(L, 1);
        }
        return keyed(index, length, path, depth, std::move(result));
    }

    // The keys beyond the list part; only one of the two may exist.
    Json keyed(int index, lua_Integer length, const std::string& path, int depth, Json list) {
        Json object;
        for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
            if (length > 0 && lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= length)
                continue;
            if (lua_type(L, -2) != LUA_TSTRING)
                refuse(path, std::string("a key that is a ") + luaL_typename(L, -2) + " beside or instead of 1..n");
            const std::string key = text(-2, path);
            if (length > 0) refuse(path, "list and named key \"" + key + "\" in one table");
            object[key] = value(-1, path.empty() ? key : path + "." + key, depth);
        }
        return object.is_null() ? list : object;
    }

    [[noreturn]] void refuse(const std::string& path, const std::string& cause) {
        throw Error(Blame::input, path.empty() ? "table" : "table at " + path, cause);
    }
};

}  // namespace

void push_deep_copy(lua_State* L, int from) {
    luaL_checkstack(L, 6, "a table is nested too deep");
    lua_newtable(L);
    const int to = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, from);) {
        lua_pushvalue(L, -2);
        if (lua_istable(L, -2)) push_deep_copy(L, lua_gettop(L) - 1);
        else lua_pushvalue(L, -2);
        lua_rawset(L, to);
        lua_pop(L, 1);
    }
    if (lua_getmetatable(L, from)) lua_setmetatable(L, to);
}

void push_json(lua_State* L, const Json& json) {
    luaL_checkstack(L, 4, "document too deep");
    switch (json.type()) {
        case Json::value_t::boolean:
            lua_pushboolean(L, json.get<bool>());
            return;
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned:
            lua_pushinteger(L, json.get<lua_Integer>());
            return;
        case Json::value_t::number_float:
            lua_pushnumber(L, json.get<double>());
            return;
        case Json::value_t::string:
            push(L, std::string_view(json.get_ref<const std::string&>()));
            return;
        case Json::value_t::array: {
            lua_createtable(L, static_cast<int>(json.size()), 0);
            lua_Integer i = 0;
            for (const Json& element : json) {
                if (element.is_null()) lua_pushlightuserdata(L, nullptr);
                else push_json(L, element);
                lua_rawseti(L, -2, ++i);
            }
            return;
        }
        case Json::value_t::object:
            lua_createtable(L, 0, static_cast<int>(json.size()));
            for (const auto& [key, element] : json.items()) {
                push(L, std::string_view(key));
                push_json(L, element);
                lua_rawset(L, -3);
            }
            return;
        default:
            lua_pushnil(L);
    }
}

Json to_json(lua_State* L, int index) { return Reader{L}.value(index, "", 0); }

Json to_json_object(lua_State* L, int index) {
    if (lua_isnoneornil(L, index)) return Json::object();
    Json json = to_json(L, index);
    if (json.is_array() && json.empty()) return Json::object();
    if (!json.is_object())
        throw Error(Blame::input, "", std::string("a table of named values expected, got ") + json.type_name());
    return json;
}

lua_Integer list_length(lua_State* L, int index, const std::string& place, bool named) {
    index = lua_absindex(L, index);
    lua_Integer count = 0, last = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (named && lua_type(L, -2) == LUA_TSTRING) continue;
        ++count;
        if (!lua_isinteger(L, -2) || lua_tointeger(L, -2) < 1)
            throw Error(Blame::input, place,
                        std::string("a list expected, and the table has a key ") + luaL_tolstring(L, -2, nullptr),
                        "give entries alone: { first, second }");
        last = std::max(last, lua_tointeger(L, -2));
    }
    if (count == last) return count;
    lua_Integer hole = 1;
    for (; lua_rawgeti(L, index, hole) != LUA_TNIL; lua_pop(L, 1)) ++hole;
    throw Error(Blame::input, place,
                "entry " + std::to_string(hole) + " of " + std::to_string(last) + " is nil, and would end the list",
                "write what was meant there, or close the gap");
}

std::string pack_floats_text(const std::vector<float>& values) {
    const auto* at = reinterpret_cast<const unsigned char*>(values.data());
    const std::size_t bytes = values.size() * sizeof(float);
    std::string text((bytes + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock ends with a zero
    text.resize(static_cast<std::size_t>(
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), at, static_cast<int>(bytes))));
    return text;
}

std::vector<float> unpack_floats_text(const std::string& text) {
    std::string bytes(text.size() / 4 * 3, '\0');
    const int n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                  reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    if (n < 0) throw Error(Blame::environment, "journal", "a list of numbers is damaged");
    // what "=" stands for is less than one number
    std::vector<float> values(static_cast<std::size_t>(n) / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

}  // namespace hone::lua
