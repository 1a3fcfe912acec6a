#include "lua/strict.hpp"
#include <algorithm>
#include "base/options.hpp"
#include "lua/api.hpp"

namespace hone::lua {
namespace {

// upvalues: name of the class, name for people
int absent_key(lua_State* L) {
    const std::string key = luaL_tolstring(L, 2, nullptr);
    const std::vector<std::string> names = keys_of(lua_tostring(L, lua_upvalueindex(1)));
    if (std::find(names.begin(), names.end(), key) == names.end())
        fail(L, std::string(lua_tostring(L, lua_upvalueindex(2))) + " has no \"" + key + "\"; " +
                    choose(key, names, "keys"));
    return lua_pushnil(L), 1;
}

}  // namespace

void make_strict(lua_State* L, const char* class_name, const char* shown) {
    if (luaL_newmetatable(L, class_name)) {
        lua_pushstring(L, class_name);
        lua_pushstring(L, shown);
        lua_pushcclosure(L, absent_key, 2);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
}

}  // namespace hone::lua
