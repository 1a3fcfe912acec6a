#include "lua/bind.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "lua/state.hpp"

namespace hone::lua {
namespace {

const Binding& running(lua_State* L) { return *static_cast<const Binding*>(lua_touserdata(L, lua_upvalueindex(1))); }

int enter(lua_State* L) {
    const Binding& binding = running(L);
    return guarded(L, [&] { return binding.call(L); });
}

// A method; upvalues: binding, name of its object's metatable.
int enter_method(lua_State* L) {
    if (luaL_testudata(L, 1, lua_tostring(L, lua_upvalueindex(2)))) return enter(L);
    const Binding& binding = running(L);
    const std::string owner = binding.owner(), method = binding.method();
    fail(L, owner + "." + method + " was called without its " + owner + "; write " + owner + ":" + method +
                "(...), with a colon");
}

// upvalues: owner's name, methods, fields, absent or nil
int index(lua_State* L) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
    lua_pop(L, 1);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(3)) != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 1);
        return 1;
    }
    lua_pop(L, 1);
    if (!lua_isnil(L, lua_upvalueindex(4))) {
        lua_pushvalue(L, lua_upvalueindex(4));
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        lua_call(L, 2, 1);
        return 1;
    }
    no_member(L, Type<std::string>::get(L, lua_upvalueindex(1)), luaL_tolstring(L, 2, nullptr));
}

void push_method(lua_State* L, const Binding& binding, const char* lua_name) {
    lua_pushlightuserdata(L, const_cast<Binding*>(&binding));
    lua_pushstring(L, lua_name);
    lua_pushcclosure(L, enter_method, 2);
}

int read_only(lua_State* L) {
    fail(L, Type<std::string>::get(L, lua_upvalueindex(1)) + " is read-only: \"" + luaL_tolstring(L, 2, nullptr) +
                "\" cannot be set");
}

}  // namespace

std::string Binding::method() const {
    const std::string whole = name;
    return whole.substr(whole.find_last_of(".:") + 1);
}
std::string Binding::owner() const {
    const std::string whole = name;
    return whole.substr(0, whole.find_last_of(".:"));
}

int guarded(lua_State* L, const std::function<int()>& body) {
    std::string text;
    bool placed = false;
    try {
        return body();
    } catch (const PlacedError& error) {
        text = error.what();
        placed = true;
    } catch (const Error& error) {
        text = error.what();
        State::of(L).remember(error.blame(), text);
    } catch (const std::exception& error) {
        text = plain_words(error);
    }
    if (!placed) fail(L, text);
    push(L, text);
    return lua_error(L);
}

void push_function(lua_State* L, const Binding& binding) {
    lua_pushlightuserdata(L, const_cast<Binding*>(&binding));
    lua_pushcclosure(L, enter, 1);
}

void make_class(lua_State* L, const char* lua_name, const std::string& owner, const Bindings& bindings,
                lua_CFunction collect, lua_CFunction absent) {
    luaL_newmetatable(L, lua_name);
    push(L, owner);
    lua_newtable(L);
    lua_newtable(L);
    for (const Binding& binding : bindings) {
        if (binding.owner() != owner) continue;
        const bool field = binding.kind == Binding::Kind::field;
        if (field) push_function(L, binding);
        else push_method(L, binding, lua_name);
        lua_setfield(L, field ? -2 : -3, binding.method().c_str());
    }
    if (absent) lua_pushcfunction(L, absent);
    else lua_pushnil(L);
    lua_pushcclosure(L, index, 4);
    lua_setfield(L, -2, "__index");
    push(L, owner);
    lua_pushcclosure(L, read_only, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    push(L, "a " + owner);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

void no_member(lua_State* L, const std::string& owner, const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> names = State::of(L).members(owner);
    names.insert(names.end(), more.begin(), more.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    fail(L, owner + " has no \"" + name + "\"; " + choose(name, names, "members"));
}

void check_name(const std::string& place, const std::string& given, const std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), given) == names.end())
        throw Error(Blame::input, place, "no option \"" + given + "\"", choose(given, names, "options"));
}

void check_spelling(lua_State* L, int record, const std::string& place, const std::vector<std::string>& names,
                    const std::vector<std::string>& known) {
    const auto is_in = [](const std::vector<std::string>& list, const std::string& key) {
        return std::find(list.begin(), list.end(), key) != list.end();
    };
    for (lua_pushnil(L); lua_next(L, record); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) continue;
        const std::string key = Type<std::string>::get(L, -2);
        if (is_in(names, key) || is_in(known, key)) continue;
        if (const std::string near = suggestion(key, names); !near.empty())
            throw Error(Blame::input, place, "no key \"" + key + "\"" + near);
    }
}

Options::Options(lua_State* L, int index) : L_(L), index_(index), binding_(&running(L)) {
    luaL_checktype(L, index, LUA_TTABLE);
    std::vector<std::string> names;
    for (const Field& field : binding_->options) names.push_back(field.name);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        const std::string key = luaL_tolstring(L, -1, nullptr);
        lua_pop(L, 2);
        check_name(binding_->name, key, names);
    }
}

bool Options::has(const char* name) const {
    const bool present = push(name) != LUA_TNIL;
    lua_pop(L_, 1);
    return present;
}

int Options::push(const char* name) const {
    lua_pushstring(L_, name);
    return lua_rawget(L_, index_);
}

void Options::wrong(const char* name, const std::string& wanted, int got) const {
    const std::string what = std::string(binding_->name) + ": option \"" + name + "\"";
    if (got == LUA_TNIL) fail(L_, what + " is missing (" + wanted + ")");
    fail(L_, what + ": " + wanted + " expected, got " + lua_typename(L_, got));
}

}  // namespace hone::lua
