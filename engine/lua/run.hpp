// lua/run.hpp: the module `hone` and the run object as scripts see them.
#pragma once
#include "lua/bind.hpp"
#include "run/run.hpp"

namespace hone::lua {

template <> inline constexpr const char* handle_name<Run> = "hone.Run";

Bindings module_bindings();         // hone.*
Bindings run_bindings();            // run:* except parts, rollout
int absent_run_member(lua_State*);  // run:NAME{...} for the stage hone/NAME.lua
void open_module(lua_State*);       // package.preload.hone

// What a call is given must be of the run that is asked: a journal knows no operation of another one. Throws
// Error(input). what: "the group"
void require_own(const Run& asked, const Run& of, const std::string& place, const std::string& what);

}  // namespace hone::lua
