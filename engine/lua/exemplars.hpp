// lua/exemplars.hpp: exemplars as scripts pass them: checked, in canonical text for prompts, and which of them a prompt
// shows.
#pragma once
#include <string>
#include <vector>
#include "base/json.hpp"
#include "lua/stack.hpp"
#include "parts/prompt.hpp"

namespace hone::lua {

// Throws Error(input) unless the value is a list of tables with the texts `hash` and `code`, or an empty list, and none
// of them is of another task than `task`, the prompt's (another shape is no other task). place begins the error's text:
// "run:write".
void check_exemplars(lua_State*, int index, const std::string& task, const std::string& place);

// Replaces the list by copies whose code and plan are canonical: what one candidate wrote must not speak to the next.
// fence: the language of exemplars that name none.
void make_canonical(lua_State*, int list, const std::string& fence);

// The hashes of the exemplars (records with `hash` and `code`) whose whole program stands in one of the messages.
Json shown_hashes(const std::vector<Json>& exemplars, const std::vector<Message>&);

}  // namespace hone::lua
