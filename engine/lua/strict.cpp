#include "lua/strict.hpp"
#include <algorithm>
#include "base/options.hpp"
#include "domain/judgement.hpp"
#include "domain/shaped_answer.hpp"
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

// upvalues: the document's text, name for people
int absent_document_key(lua_State* L) {
    const auto& document = *static_cast<const DocumentText*>(lua_touserdata(L, lua_upvalueindex(1)));
    const std::string key = luaL_tolstring(L, 2, nullptr);
    const std::vector<std::string> names = document.names();
    if (document.title == Judgement::title && has(describe<ShapedAnswer>().names(), key))
        fail(L, "judgement has no \"" + key + "\"; the answer is a shaper's second argument: member.candidate.code, " +
                    "member.text, member.finish, member.tokens_out");
    if (!has(names, key))
        fail(L, std::string(lua_tostring(L, lua_upvalueindex(2))) + " has no \"" + key + "\"; " +
                    choose(key, names, "keys"));
    return lua_pushnil(L), 1;
}

}  // namespace

void make_strict(lua_State* L, const DocumentText& document, const std::string& shown) {
    if (luaL_newmetatable(L, (document.title + ", " + shown).c_str())) {
        lua_pushlightuserdata(L, const_cast<DocumentText*>(&document));
        lua_pushstring(L, shown.c_str());
        lua_pushcclosure(L, absent_document_key, 2);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
}

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
