#include "lua/messages.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "lua/bind.hpp"

namespace hone::lua {
namespace {

[[noreturn]] void refuse(const std::string& cause, const std::string& cure = {}) {
    throw Error(Blame::input, "messages", cause, cure);
}

std::string entry(lua_Integer i) { return "entry " + std::to_string(i); }

// The text on top of the stack, which it takes.
std::string take_text(lua_State* L, lua_Integer i) {
    std::string text = Type<std::string>::get(L, -1);
    lua_pop(L, 1);
    if (!is_utf8(text)) refuse("the text of " + entry(i) + " is no UTF-8");
    return text;
}

// {role=, text=}, on top of the stack
Message read_message(lua_State* L, lua_Integer i) {
    if (!lua_istable(L, -1)) refuse(entry(i) + " is neither a text nor {role=, text=}");
    const int role = lua_getfield(L, -1, "role");
    if (role != LUA_TNIL && role != LUA_TSTRING)
        refuse("the role of " + entry(i) + " is a " + lua_typename(L, role) + ", no text");
    Message message;
    if (role == LUA_TSTRING) message.role = Type<std::string>::get(L, -1);
    lua_pop(L, 1);
    check_role("messages", message.role);
    if (lua_getfield(L, -1, "text") != LUA_TSTRING) refuse(entry(i) + " has no text");
    message.text = take_text(L, i);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            check_name("messages: " + entry(i), Type<std::string>::get(L, -2), {"role", "text"});
    return message;
}

void check_keys(lua_State* L, int messages) {
    for (lua_pushnil(L); lua_next(L, messages); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) check_name("messages", Type<std::string>::get(L, -2), {"fenced", "shown"});
}

}  // namespace

std::vector<Message> read_messages(lua_State* L, int index) {
    index = lua_absindex(L, index);
    if (Type<std::string>::is(L, index)) {
        lua_pushvalue(L, index);
        return {{"", take_text(L, 1)}};
    }
    if (!lua_istable(L, index))
        refuse(std::string("a text or a list of {role=, text=} expected, got ") + luaL_typename(L, index));
    check_keys(L, index);
    std::vector<Message> messages;
    const lua_Integer n = luaL_len(L, index);
    for (lua_Integer i = 1; i <= n; ++i) {
        if (lua_geti(L, index, i) == LUA_TSTRING) {
            messages.push_back({"", take_text(L, i)});
            continue;
        }
        messages.push_back(read_message(L, i));
        lua_pop(L, 1);
    }
    return messages;
}

bool read_fenced(lua_State* L, int index) {
    if (!lua_istable(L, index)) return true;
    const int type = lua_getfield(L, index, "fenced");
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        refuse(std::string("fenced is a ") + lua_typename(L, type) + ", neither true nor false",
               "write fenced = false where the whole answer is the program");
    const bool fenced = type == LUA_TNIL || lua_toboolean(L, -1);
    lua_pop(L, 1);
    return fenced;
}

std::optional<Json> read_shown(lua_State* L, int index) {
    if (!lua_istable(L, index)) return std::nullopt;
    const char* const cure = "write shown = { exemplar.hash, ... }, or leave it out";
    const int type = lua_getfield(L, index, "shown"), list = lua_gettop(L);
    if (type == LUA_TNIL) return lua_pop(L, 1), std::nullopt;
    if (type != LUA_TTABLE) refuse(std::string("shown is a ") + lua_typename(L, type) + ", no list of hashes", cure);
    Json hashes = Json::array();
    for (lua_Integer i = 1; i <= luaL_len(L, list); ++i, lua_pop(L, 1)) {
        if (lua_geti(L, list, i) != LUA_TSTRING) refuse("shown: " + entry(i) + " is no hash", cure);
        hashes.push_back(Type<std::string>::get(L, -1));
    }
    lua_pop(L, 1);
    return hashes;
}

void push_messages(lua_State* L, const std::vector<Message>& messages) {
    lua_createtable(L, static_cast<int>(messages.size()), 0);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        lua_createtable(L, 0, 2);
        set(L, "role", messages[i].role);
        set(L, "text", messages[i].text);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
}

}  // namespace hone::lua
