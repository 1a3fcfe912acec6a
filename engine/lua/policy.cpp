#include "lua/policy.hpp"
#include "base/error.hpp"

namespace hone::lua {

std::vector<Message> read_messages(lua_State* L, int index) {
    index = lua_absindex(L, index);
    if (Type<std::string>::is(L, index)) return {{"", Type<std::string>::get(L, index)}};
    luaL_argexpected(L, lua_istable(L, index), index, "text or list of messages");
    std::vector<Message> messages;
    const lua_Integer n = luaL_len(L, index);
    for (lua_Integer i = 1; i <= n; ++i) {
        lua_geti(L, index, i);
        if (Type<std::string>::is(L, -1)) {
            messages.push_back({"", Type<std::string>::get(L, -1)});
        } else {
            if (!lua_istable(L, -1))
                throw Error(Blame::input, "messages",
                            "entry " + std::to_string(i) + " is neither a text nor {role=, text=}");
            lua_getfield(L, -1, "role");
            lua_getfield(L, -2, "text");
            if (!Type<std::string>::is(L, -1))
                throw Error(Blame::input, "messages", "entry " + std::to_string(i) + " has no text");
            messages.push_back({luaL_optstring(L, -2, ""), Type<std::string>::get(L, -1)});
            check_role("messages", messages.back().role);
            lua_pop(L, 2);
        }
        lua_pop(L, 1);
    }
    return messages;
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

std::vector<std::int32_t> read_ids(lua_State* L, int index) {
    index = lua_absindex(L, index);
    if (!lua_istable(L, index))
        throw Error(Blame::input, "token ids", std::string("a list expected, got ") + luaL_typename(L, index));
    const auto n = static_cast<lua_Integer>(lua_rawlen(L, index));
    std::vector<std::int32_t> ids;
    ids.reserve(static_cast<std::size_t>(n));
    for (lua_Integer i = 1; i <= n; ++i) {
        if (lua_rawgeti(L, index, i) != LUA_TNUMBER)
            throw Error(Blame::input, "token ids", "entry " + std::to_string(i) + " is no number");
        ids.push_back(static_cast<std::int32_t>(lua_tointeger(L, -1)));
        lua_pop(L, 1);
    }
    return ids;
}

Sequences read_sequences(lua_State* L, int index) {
    index = lua_absindex(L, index);
    Sequences sequences;
    const lua_Integer n = luaL_len(L, index);
    for (lua_Integer i = 1; i <= n; ++i) {
        if (lua_geti(L, index, i) == LUA_TTABLE && lua_getfield(L, -1, "ids") != LUA_TNIL) lua_remove(L, -2);
        else if (lua_istable(L, -2) && lua_isnil(L, -1)) lua_pop(L, 1);
        sequences.add(read_ids(L, -1));
        lua_pop(L, 1);
    }
    return sequences;
}

}  // namespace hone::lua
