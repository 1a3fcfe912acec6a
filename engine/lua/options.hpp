// lua/options.hpp: hone.options, which checks what a script passes to a stage.
#pragma once
#include "lua/stack.hpp"

namespace hone::lua {

int options(lua_State*);   // hone.options(given, defaults, place, limits)
int required(lua_State*);  // hone.required, hone.optional
int optional(lua_State*);

}  // namespace hone::lua
