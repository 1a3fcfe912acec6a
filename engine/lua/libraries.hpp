// lua/libraries.hpp: what differs from Lua's own libraries, so that a script's choices repeat and its slips show.
#pragma once
#include <lua.hpp>

namespace hone::lua {

// reading or writing an absent field of this globals table is an error that names it
void make_strict(lua_State*, int index);
// numbers, then texts, then booleans; other keys have no order that two runs share
int sorted_pairs(lua_State*);
void replace_libraries(lua_State*);  // pairs, math.random, os.exit, require; strict globals

}  // namespace hone::lua
