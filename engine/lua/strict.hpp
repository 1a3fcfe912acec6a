// lua/strict.hpp: plain tables that refuse to be read by a key that they cannot have: a misspelt one would be nil.
#pragma once
#include "lua/stack.hpp"

namespace hone::lua {

// The table on top of the stack has the keys of a class of the API ("hone.Member"); `shown` names it in errors. Keys
// that the table lacks are nil, keys that the class lacks are an error. Scripts may add keys of their own.
void make_strict(lua_State*, const char* class_name, const char* shown);

}  // namespace hone::lua
