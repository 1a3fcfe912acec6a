#include "lua/options.hpp"
#include <algorithm>
#include <cmath>
#include "base/error.hpp"
#include "base/options.hpp"
#include "lua/bind.hpp"

namespace hone::lua {
namespace {

char required_mark, optional_mark;  // their addresses are hone.required and hone.optional
constexpr int limits_at = 4;

// given[key] against a default: its type must be the default's where that is a number or a boolean
void check_given(lua_State* L, const std::string& place, const std::string& key) {
    const int wanted = lua_type(L, -1), got = lua_type(L, -2);
    if ((wanted != LUA_TNUMBER && wanted != LUA_TBOOLEAN) || got == wanted) return;
    fail(L, place + ": option \"" + key + "\": " + lua_typename(L, wanted) + " expected, got " + lua_typename(L, got));
}

[[noreturn]] void refuse(lua_State* L, const std::string& option, const std::string& why) {
    fail(L, option + ": " + why);
}

std::string shown(lua_State* L, int index) {
    const std::string text = luaL_tolstring(L, index, nullptr);
    lua_pop(L, 1);
    return text;
}

// The value at `value` against the list of words at `words`.
void check_word(lua_State* L, const std::string& option, int value, int words) {
    std::vector<std::string> all;
    for (lua_Integer i = 1; lua_geti(L, words, i) == LUA_TSTRING; lua_pop(L, 1), ++i)
        all.push_back(Type<std::string>::get(L, -1));
    lua_pop(L, 1);
    const std::string given = shown(L, value);
    if (std::find(all.begin(), all.end(), given) == all.end())
        refuse(L, option, "no \"" + given + "\"; " + choose(given, all, "words"));
}

// The number at `value` against {least, most} at `range`.
void check_range(lua_State* L, const std::string& option, int value, int range) {
    if (lua_type(L, value) != LUA_TNUMBER)
        refuse(L, option, std::string("number expected, got ") + luaL_typename(L, value));
    lua_geti(L, range, 1);
    lua_geti(L, range, 2);
    const double number = lua_tonumber(L, value);
    if (!std::isfinite(number)) refuse(L, option, shown(L, value) + " is no finite number");
    if (lua_isinteger(L, -2) && number != std::floor(number))
        refuse(L, option, shown(L, value) + " is no whole number");
    if (number < lua_tonumber(L, -2)) refuse(L, option, shown(L, value) + " is less than " + shown(L, -2));
    if (!lua_isnil(L, -1) && number > lua_tonumber(L, -1))
        refuse(L, option, shown(L, value) + " is more than " + shown(L, -1));
    lua_pop(L, 2);
}

// The given value is on top of the stack.
void check_limits(lua_State* L, const std::string& option, const std::string& key) {
    const int value = lua_gettop(L);
    if (lua_type(L, value) == LUA_TNUMBER && std::isnan(lua_tonumber(L, value)))
        refuse(L, option, "is not a number (NaN)");
    if (lua_istable(L, limits_at) && lua_getfield(L, limits_at, key.c_str()) == LUA_TTABLE) {
        const int limit = lua_gettop(L);
        if (lua_geti(L, limit, 1) == LUA_TSTRING) check_word(L, option, value, limit);
        else check_range(L, option, value, limit);
    }
    lua_settop(L, value);
}

// The key of the entry on top of the stack must be one of the names.
std::string checked_key(lua_State* L, const std::string& place, const std::vector<std::string>& names) {
    lua_pushvalue(L, -2);
    const std::string key = luaL_tolstring(L, -1, nullptr);
    lua_pop(L, 2);
    try {
        check_name(place, key, names);
    } catch (const Error& error) {
        fail(L, error.what());
    }
    return key;
}

void check_keys(lua_State* L, const std::string& place) {
    std::vector<std::string> names;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) names.push_back(Type<std::string>::get(L, -2));
    std::sort(names.begin(), names.end());
    if (lua_istable(L, limits_at))
        for (lua_pushnil(L); lua_next(L, limits_at); lua_pop(L, 1)) checked_key(L, place + ": limits", names);
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        const std::string key = checked_key(L, place, names);
        lua_getfield(L, 2, key.c_str());
        check_given(L, place, key);
        lua_pop(L, 1);
        check_limits(L, place + ": option \"" + key + "\"", key);
    }
}

}  // namespace

int options(lua_State* L) {
    const std::string place = get<std::string>(L, 3);
    lua_settop(L, limits_at);
    const std::string cure =
        lua_isnil(L, 1) ? "; no options came: write " + place + "{...}, with a colon" : "";  // run.sft{...}
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    if (!lua_istable(L, 1)) fail(L, place + ": a table of options expected, got " + luaL_typename(L, 1));
    luaL_checktype(L, 2, LUA_TTABLE);
    check_keys(L, place);
    lua_newtable(L);
    constexpr int result = limits_at + 1;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        const std::string key = Type<std::string>::get(L, -2);
        const void* mark = lua_touserdata(L, -1);
        if (lua_getfield(L, 1, key.c_str()) != LUA_TNIL) {
            lua_setfield(L, result, key.c_str());
            continue;
        }
        lua_pop(L, 1);
        if (mark == &required_mark) fail(L, place + ": option \"" + key + "\" is missing" + cure);
        if (mark == &optional_mark) continue;
        lua_pushvalue(L, -1);
        lua_setfield(L, result, key.c_str());
    }
    return 1;
}

int required(lua_State* L) { return lua_pushlightuserdata(L, &required_mark), 1; }
int optional(lua_State* L) { return lua_pushlightuserdata(L, &optional_mark), 1; }

}  // namespace hone::lua
