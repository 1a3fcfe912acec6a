#include "lua/strict.hpp"
#include <algorithm>
#include "base/options.hpp"
#include "domain/document_text.hpp"
#include "domain/judgement.hpp"
#include "lua/api.hpp"

namespace hone::lua {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// upvalues: name of the class, name for people
int absent_key(lua_State* L) {
    const std::string key = luaL_tolstring(L, 2, nullptr);
    const std::vector<std::string> names = keys_of(lua_tostring(L, lua_upvalueindex(1)));
    if (has(names, key)) return lua_pushnil(L), 1;
    const bool of_judgement =
        lua_tostring(L, lua_upvalueindex(1)) == std::string("hone.Group") && has(describe<Judgement>().names(), key);
    fail(L, std::string(lua_tostring(L, lua_upvalueindex(2))) + " has no \"" + key + "\"; " +
                (of_judgement ? "a shape is a function (group, run); run:shaper(f) makes a shaper of a function "
                                "(judgement, member) of one answer"
                              : choose(key, names, "keys")));
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
