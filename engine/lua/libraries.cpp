#include "lua/libraries.hpp"
#include <algorithm>
#include <string>
#include <vector>
#include "base/options.hpp"
#include "base/paths.hpp"
#include "lua/bind.hpp"
#include "lua/state.hpp"

namespace hone::lua {
namespace {

std::vector<std::string> global_names(lua_State* L, int index) {
    std::vector<std::string> names;
    index = lua_absindex(L, index);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) names.push_back(Type<std::string>::get(L, -2));
    return names;
}

int read_global(lua_State* L) {
    const std::string name = luaL_tolstring(L, 2, nullptr);
    fail(L, "global \"" + name + "\" is not declared" + suggestion(name, global_names(L, 1)));
}

int write_global(lua_State* L) {
    const std::string name = luaL_tolstring(L, 2, nullptr);
    fail(L, "global \"" + name + "\" is not declared; write: local " + name + " = ...");
}

int refused_random(lua_State* L) {
    fail(L,
         "math.random is shared by all and does not repeat; use run:rng(\"name\"): rng:uniform(), rng:below(n), "
         "rng:pick(list), "
         "rng:shuffle(list)");
}

int script_exit(lua_State* L) {
    if (State::of(L).reads())
        fail(L, "os.exit is called while the task file is read; a task file returns tasks, and ends nothing");
    int code = 0;
    if (lua_isboolean(L, 1)) code = lua_toboolean(L, 1) ? 0 : 1;
    else code = static_cast<int>(luaL_optinteger(L, 1, 0));
    State::of(L).exit(L, code);
}

struct Key {
    int rank;  // numbers, texts, booleans
    double number;
    std::string text;
    lua_Integer at;  // where it lies in the table of keys
    bool operator<(const Key& other) const {
        if (rank != other.rank) return rank < other.rank;
        return rank == 1 ? text < other.text : number < other.number;
    }
};

Key read_key(lua_State* L, int index, lua_Integer at) {
    switch (lua_type(L, index)) {
        case LUA_TNUMBER:
            return {0, lua_tonumber(L, index), "", at};
        case LUA_TSTRING:
            return {1, 0, Type<std::string>::get(L, index), at};
        case LUA_TBOOLEAN:
            return {2, static_cast<double>(lua_toboolean(L, index)), "", at};
    }
    fail(L, std::string("pairs: a key that is a ") + luaL_typename(L, index) +
                " has no order that two runs share; use numbers or texts as keys");
}

// upvalues: sorted keys, position. Removed keys are passed over, as by next.
int next_sorted(lua_State* L) {
    for (;;) {
        const lua_Integer position = lua_tointeger(L, lua_upvalueindex(2)) + 1;
        lua_pushinteger(L, position);
        lua_replace(L, lua_upvalueindex(2));
        if (lua_rawgeti(L, lua_upvalueindex(1), position) == LUA_TNIL) return 1;
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) return 2;
        lua_pop(L, 2);
    }
}

void push_sorted_keys(lua_State* L, int table) {
    std::vector<Key> keys;
    lua_newtable(L);
    const int all = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        keys.push_back(read_key(L, -2, static_cast<lua_Integer>(keys.size()) + 1));
        lua_pushvalue(L, -2);
        lua_rawseti(L, all, keys.back().at);
    }
    std::sort(keys.begin(), keys.end());
    lua_createtable(L, static_cast<int>(keys.size()), 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        lua_rawgeti(L, all, keys[i].at);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    lua_remove(L, all);
}

int find_module(lua_State* L) {
    const std::string name = get<std::string>(L, 1);
    std::string file = name, searched;
    std::replace(file.begin(), file.end(), '.', '/');
    file += ".lua";
    return guarded(L, [&] {
        State& state = State::of(L);
        for (const fs::path& folder : state.folders()) {
            if (!fs::exists(folder / file)) {
                searched += "\n  no " + (folder / file).string();
                continue;
            }
            const std::string text = read_script(folder / file);
            load_chunk(L, text, file, folder == script_folders().back());
            state.session().take_in(file, text);
            lua_pushstring(L, file.c_str());
            return 2;
        }
        lua_pushstring(L, searched.c_str());
        return 1;
    });
}

void set_searchers(lua_State* L) {  // modules made in C++, then script folders; no C libraries, no LUA_PATH
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchers");
    lua_createtable(L, 2, 0);
    lua_rawgeti(L, -2, 1);
    lua_rawseti(L, -2, 1);
    lua_pushcfunction(L, find_module);
    lua_rawseti(L, -2, 2);
    lua_setfield(L, -3, "searchers");
    lua_pop(L, 1);
    for (const char* gone : {"path", "cpath", "loadlib", "searchpath"}) {
        lua_pushnil(L);
        lua_setfield(L, -2, gone);
    }
    lua_pop(L, 1);
}

void set_member(lua_State* L, const char* library, const char* name, lua_CFunction function) {
    lua_getglobal(L, library);
    lua_pushcfunction(L, function);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

}  // namespace

int sorted_pairs(lua_State* L) {
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 3);
        return 3;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    push_sorted_keys(L, 1);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_sorted, 2);
    lua_pushvalue(L, 1);
    return 2;
}

void make_strict(lua_State* L, int index) {
    index = lua_absindex(L, index);
    lua_newtable(L);
    lua_pushcfunction(L, read_global);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, write_global);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, index);
}

void replace_libraries(lua_State* L) {
    lua_pushcfunction(L, sorted_pairs);
    lua_setglobal(L, "pairs");
    set_member(L, "math", "random", refused_random);
    set_member(L, "math", "randomseed", refused_random);
    set_member(L, "os", "exit", script_exit);
    set_searchers(L);
    lua_pushglobaltable(L);
    make_strict(L, -1);
    lua_pop(L, 1);
}

}  // namespace hone::lua
