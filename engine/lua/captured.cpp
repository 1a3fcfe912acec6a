#include "lua/captured.hpp"
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <variant>
#include <vector>
#include "base/progress.hpp"
#include "lua/libraries.hpp"
#include "lua/rng.hpp"

namespace hone::lua {
namespace {

// The lines of the function on the stack; "" where it is none of a user's script.
std::string lines_of(lua_State* L) {
    lua_Debug info;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &info);
    if (of_library(info)) return {};
    luaL_getsubtable(L, LUA_REGISTRYINDEX, chunk_texts);
    const bool known = lua_getfield(L, -1, info.source) == LUA_TSTRING;
    std::istringstream lines(known ? Type<std::string>::get(L, -1) : "");
    lua_pop(L, 2);
    std::string text, line;
    for (int number = 1; number <= info.lastlinedefined && std::getline(lines, line); ++number)
        if (number >= info.linedefined) text += line + '\n';
    return text;
}

// Tables of hone's own modules, and of the globals.
std::set<const void*> own_modules(lua_State* L) {
    std::set<const void*> modules;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        const std::string_view name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        if (name == "hone" || name.starts_with("hone.") || name == LUA_GNAME) modules.insert(lua_topointer(L, -1));
    }
    lua_pop(L, 1);
    return modules;
}

constexpr int deepest = 100;  // table within table

using Seen = std::set<const void*>;

void gather(lua_State*, int depth, Seen& seen, std::string& text);

std::string gathered(lua_State* L, int depth, Seen& seen) {
    std::string text;
    gather(L, depth, seen, text);
    return text;
}

void gather_upvalues(lua_State* L, int depth, Seen& seen, std::string& text) {
    for (int i = 1; const char* name = lua_getupvalue(L, -1, i); ++i) {
        if (std::string_view(name) != "_ENV") gather(L, depth, seen, text);
        lua_pop(L, 1);
    }
}

void push_key(lua_State* L, const std::variant<lua_Integer, lua_Number, std::string>& key) {
    if (const auto* whole = std::get_if<lua_Integer>(&key)) lua_pushinteger(L, *whole);
    else if (const auto* number = std::get_if<lua_Number>(&key)) lua_pushnumber(L, *number);
    else push(L, std::get<std::string>(key));
}

// In the order of the keys: lua_next has another one in each process. Keys such as tasks have an address alone: what
// lies behind them is sorted, and lies a quarter of what is looked at deep, since it may be met more than once.
void gather_entries(lua_State* L, int depth, Seen& seen, std::string& text) {
    const int table = lua_gettop(L);
    std::set<std::variant<lua_Integer, lua_Number, std::string>> keys;
    std::vector<std::string> others;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        if (lua_isinteger(L, -2)) keys.insert(lua_tointeger(L, -2));
        else if (lua_type(L, -2) == LUA_TNUMBER) keys.insert(lua_tonumber(L, -2));
        else if (lua_type(L, -2) == LUA_TSTRING) keys.insert(Type<std::string>::get(L, -2));
        else {
            Seen apart = seen;
            others.push_back(gathered(L, depth + deepest / 4, apart));
        }
    }
    for (const auto& key : keys) {
        push_key(L, key);
        text += std::string(luaL_tolstring(L, -1, nullptr)) + "=";
        lua_pop(L, 1);
        lua_rawget(L, table);
        text += gathered(L, depth + 1, seen) + '\n';
        lua_pop(L, 1);
    }
    std::sort(others.begin(), others.end());
    for (const std::string& other : others) text += other + '\n';
    if (!lua_getmetatable(L, table)) return;  // methods of an object
    gather(L, depth + 1, seen, text);
    lua_pop(L, 1);
}

// Where a coroutine waits, and what it holds there.
void gather_locals(lua_State* L, int depth, Seen& seen, std::string& text) {
    lua_State* waiting = lua_tothread(L, -1);
    lua_Debug at;
    for (int level = 0; waiting != L && lua_getstack(waiting, level, &at); ++level) {
        lua_getinfo(waiting, "l", &at);
        text += std::to_string(at.currentline) + '\n';
        for (int n = 1; lua_checkstack(waiting, 1) && lua_getlocal(waiting, &at, n); ++n) {
            lua_xmove(waiting, L, 1);
            gather(L, depth + 1, seen, text);
            lua_pop(L, 1);
        }
    }
}

// What the value on the stack says of a script: lines of functions with all that they use, numbers and texts, the next
// draw of a stream. Other handles say nothing, nor do hone's own functions but for what a C function holds.
void gather(lua_State* L, int depth, Seen& seen, std::string& text) {
    luaL_checkstack(L, 16, "function");
    const int type = lua_type(L, -1);
    if (type == LUA_TSTRING || type == LUA_TNUMBER || type == LUA_TBOOLEAN) {
        text += std::string(luaL_tolstring(L, -1, nullptr)) + '\n';
        return lua_pop(L, 1);
    }
    if (type == LUA_TNIL || type == LUA_TLIGHTUSERDATA || depth > deepest) return;
    if (!seen.insert(lua_topointer(L, -1)).second) return;
    if (type == LUA_TTABLE) return gather_entries(L, depth, seen, text);
    if (type == LUA_TTHREAD) return gather_locals(L, depth, seen, text);
    if (type == LUA_TUSERDATA) {
        if (const auto rng = test_handle<Rng>(L, -1)) text += std::to_string(Random(rng->random).bits()) + '\n';
        return;
    }
    const std::string lines = lua_iscfunction(L, -1) ? "" : lines_of(L);
    text += lines;
    if (!lines.empty() || lua_iscfunction(L, -1)) gather_upvalues(L, depth + 1, seen, text);
}

}  // namespace

std::string function_text(lua_State* L, int index) {
    Seen seen = own_modules(L);
    lua_pushvalue(L, index);
    std::string text = gathered(L, 0, seen);
    lua_pop(L, 1);
    return text;
}

void tell_of_memory(Session& session, const std::string& who, const std::string& before, const std::string& after,
                    const std::string& cure) {
    if (before == after || !session.told.insert(who).second) return;
    Progress::say("hone: " + who +
                  " changed a variable or a stream of random numbers that it uses: where this run is resumed, that "
                  "begins anew, and " +
                  cure);
}

}  // namespace hone::lua
