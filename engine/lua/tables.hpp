// lua/tables.hpp: plain Lua tables <-> JSON. A table whose keys are 1..n is a list, an empty table too; other keys must
// be text. nil, and null in an object, are absence; null in a list is hone.null. Functions, handles and cycles are
// refused with the path to them.
#pragma once
#include <lua.hpp>
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone::lua {

constexpr int max_table_depth = 64;
constexpr std::size_t max_table_values = 20'000'000;

void push_json(lua_State*, const Json&);
// throws Error(input): `table at messages.2.text: a function cannot be stored`
Json to_json(lua_State*, int index);
Json to_json_object(lua_State*, int index);  // an empty table, or none, is {}

// How many entries the list has. A hole, which most often is a misspelt name, would end it in silence: throws
// Error(input) where keys are not 1..n. named: the list may have fields of its own beside them.
lua_Integer list_length(lua_State*, int index, const std::string& place, bool named = false);

// Pushes a copy of the table, so that what a script writes into it changes no record and no later call. from: absolute.
void push_deep_copy(lua_State*, int from);

// Numbers of fp32 as text for the journal: base64 of their little-endian bytes.
std::string pack_floats_text(const std::vector<float>&);
std::vector<float> unpack_floats_text(const std::string&);

}  // namespace hone::lua
