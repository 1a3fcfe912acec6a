// lua/stack.hpp: the engine's binding layer over the plain Lua 5.4 API: typed values, handles, references. The C++
// build of Lua unwinds C++ frames, so destructors run on a Lua error. Two rules keep that sound: scripts enter C++ only
// through bind.hpp, which turns std::exception into a Lua error with its place, and nobody writes catch (...) around a
// Lua call.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <lua.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace hone::lua {

template <class T> struct Type;  // name, is, get, push of the few C++ types that cross

template <> struct Type<bool> {
    static constexpr const char* name = "boolean";
    static bool is(lua_State* L, int i) { return lua_isboolean(L, i); }
    static bool get(lua_State* L, int i) { return lua_toboolean(L, i) != 0; }
    static void push(lua_State* L, bool value) { lua_pushboolean(L, value); }
};
template <> struct Type<std::int64_t> {
    static constexpr const char* name = "integer";
    static bool is(lua_State* L, int i) {  // 3.0 counts as 3, "3" does not
        int whole = 0;
        return lua_type(L, i) == LUA_TNUMBER && (lua_tointegerx(L, i, &whole), whole);
    }
    static std::int64_t get(lua_State* L, int i) { return lua_tointeger(L, i); }
    static void push(lua_State* L, std::int64_t value) { lua_pushinteger(L, value); }
};
template <> struct Type<double> {
    static constexpr const char* name = "number";
    static bool is(lua_State* L, int i) { return lua_type(L, i) == LUA_TNUMBER; }
    static double get(lua_State* L, int i) { return lua_tonumber(L, i); }
    static void push(lua_State* L, double value) { lua_pushnumber(L, value); }
};
template <> struct Type<std::string> {
    static constexpr const char* name = "string";
    static bool is(lua_State* L, int i) { return lua_type(L, i) == LUA_TSTRING; }
    static std::string get(lua_State* L, int i) {
        std::size_t n = 0;
        const char* at = lua_tolstring(L, i, &n);
        return std::string(at, n);
    }
    static void push(lua_State* L, std::string_view value) { lua_pushlstring(L, value.data(), value.size()); }
};

// An argument of a bound function; a wrong type is an error on the caller's line.
template <class T> T get(lua_State* L, int argument) {
    if (!Type<T>::is(L, argument)) luaL_typeerror(L, argument, Type<T>::name);
    return Type<T>::get(L, argument);
}
template <class T> T get(lua_State* L, int argument, T absent) {
    return lua_isnoneornil(L, argument) ? absent : get<T>(L, argument);
}

inline void push(lua_State* L, std::string_view value) { Type<std::string>::push(L, value); }

// table[name] = value, for the table on top of the stack
template <class T> void set(lua_State* L, const char* name, const T& value) {
    if constexpr (std::is_convertible_v<T, std::string_view>) Type<std::string>::push(L, value);
    else Type<T>::push(L, value);
    lua_setfield(L, -2, name);
}

// Chunks of hone's own scripts are named "=hone/sft.lua", those of users "@first.lua" (load_chunk): a user's mistake is
// told on a line of the user's.
inline bool of_library(const lua_Debug& at) { return *at.source == '='; }

// Raises a Lua error that begins with the place of the nearest line of a user's script, else of any script, from this
// level of the stack outwards (1: whoever called the running C function).
[[noreturn]] inline void fail(lua_State* L, const std::string& text, int level = 1) {
    lua_Debug at;
    std::string place, any;
    for (; place.empty() && lua_getstack(L, level, &at); ++level) {
        lua_getinfo(L, "Sl", &at);
        if (at.currentline <= 0) continue;
        const std::string line = std::string(at.short_src) + ":" + std::to_string(at.currentline) + ": ";
        if (any.empty()) any = line;
        if (!of_library(at)) place = line;
    }
    push(L, (place.empty() ? any : place) + text);
    lua_error(L);
    std::abort();  // lua_error does not return
}

// A Lua value kept from C++; forgets it when destroyed. Must not outlive its state.
class Ref {
public:
    Ref() = default;
    static Ref pop(lua_State* L) {  // takes the value on top of the stack
        Ref ref;
        ref.number_ = luaL_ref(L, LUA_REGISTRYINDEX);
        lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
        ref.L_ = lua_tothread(L, -1);  // a coroutine may be gone when the reference is dropped
        lua_pop(L, 1);
        return ref;
    }
    Ref(Ref&& other) noexcept : L_(std::exchange(other.L_, nullptr)), number_(other.number_) {}
    Ref& operator=(Ref&& other) noexcept {
        std::swap(L_, other.L_);
        std::swap(number_, other.number_);
        return *this;
    }
    ~Ref() {
        if (L_) luaL_unref(L_, LUA_REGISTRYINDEX, number_);
    }
    explicit operator bool() const { return L_ != nullptr; }
    void push(lua_State* L) const { lua_rawgeti(L, LUA_REGISTRYINDEX, number_); }

private:
    lua_State* L_ = nullptr;
    int number_ = LUA_NOREF;
};

// Handles: userdata that share ownership of a C++ object. The name of its metatable ("hone.Policy"), which bind.cpp
// makes, is the class's own or, where the class knows no Lua, given beside its bindings.
template <class T> inline constexpr const char* handle_name = T::lua_name;
template <class T> void push_handle(lua_State* L, std::shared_ptr<T> object) {
    new (lua_newuserdatauv(L, sizeof(std::shared_ptr<T>), 2)) std::shared_ptr<T>(std::move(object));
    luaL_setmetatable(L, handle_name<T>);
}
template <class T> std::shared_ptr<T> handle(lua_State* L, int argument) {
    return *static_cast<std::shared_ptr<T>*>(luaL_checkudata(L, argument, handle_name<T>));
}
template <class T> std::shared_ptr<T> test_handle(lua_State* L, int index) {  // null if it is none
    void* at = luaL_testudata(L, index, handle_name<T>);
    return at ? *static_cast<std::shared_ptr<T>*>(at) : nullptr;
}
template <class T> int collect_handle(lua_State* L) {
    static_cast<std::shared_ptr<T>*>(lua_touserdata(L, 1))->~shared_ptr();
    return 0;
}

}  // namespace hone::lua
