// lua/messages.hpp: the messages of a prompt as scripts hand them over: a text, or a list of texts and {role=, text=},
// which may also say `fenced` and `shown`.
#pragma once
#include <lua.hpp>
#include <optional>
#include <vector>
#include "base/json.hpp"
#include "parts/policy.hpp"

namespace hone::lua {

// Each throws Error(input) for a value of a wrong type and a misspelt key.
std::vector<Message> read_messages(lua_State*, int index);
bool read_fenced(lua_State*, int index);                // whether the answer's program stands between fences
std::optional<Json> read_shown(lua_State*, int index);  // hashes of the exemplars that the messages show, if said
void push_messages(lua_State*, const std::vector<Message>&);

}  // namespace hone::lua
