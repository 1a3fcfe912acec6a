#include "lua/policy.hpp"
#include <limits>
#include "base/error.hpp"
#include "lua/tables.hpp"

namespace hone::lua {

namespace {

// The number on top of the stack.
std::int32_t token_id(lua_State* L, lua_Integer i) {
    const std::int64_t id = Type<std::int64_t>::is(L, -1) ? Type<std::int64_t>::get(L, -1) : -1;
    if (id < 0 || id > std::numeric_limits<std::int32_t>::max())
        throw Error(Blame::input, "token ids",
                    "entry " + std::to_string(i) + " is " + luaL_tolstring(L, -1, nullptr) + ", no token id");
    return static_cast<std::int32_t>(id);
}

}  // namespace

std::vector<std::int32_t> read_ids(lua_State* L, int index) {
    index = lua_absindex(L, index);
    if (!lua_istable(L, index))
        throw Error(Blame::input, "token ids", std::string("a list expected, got ") + luaL_typename(L, index));
    const auto n = static_cast<lua_Integer>(lua_rawlen(L, index));
    std::vector<std::int32_t> ids;
    ids.reserve(static_cast<std::size_t>(n));
    for (lua_Integer i = 1; i <= n; ++i) {
        lua_rawgeti(L, index, i);
        ids.push_back(token_id(L, i));
        lua_pop(L, 1);
    }
    return ids;
}

Sequences read_sequences(lua_State* L, int index) {
    index = lua_absindex(L, index);
    Sequences sequences;
    const lua_Integer n = list_length(L, index, "sequences");
    for (lua_Integer i = 1; i <= n; ++i) {
        if (lua_geti(L, index, i) == LUA_TTABLE)
            check_spelling(L, lua_gettop(L), "sequence " + std::to_string(i), {"ids", "weight"});
        if (lua_istable(L, -1) && lua_getfield(L, -1, "ids") != LUA_TNIL) lua_remove(L, -2);
        else if (lua_istable(L, -2) && lua_isnil(L, -1)) lua_pop(L, 1);
        sequences.add(read_ids(L, -1));
        lua_pop(L, 1);
    }
    return sequences;
}

}  // namespace hone::lua
