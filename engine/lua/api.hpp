// lua/api.hpp: everything bound, in one table: what scripts can call, and what `hone api` prints.
#pragma once
#include <string>
#include "lua/bind.hpp"

namespace hone::lua {

const Bindings& api();
void open_api(lua_State*);  // classes, and the module behind require "hone"

std::vector<std::string> keys_of(const std::string& class_name);  // of a plain table, such as "hone.Member"

std::string api_luacats();   // scripts/meta/hone.lua
std::string api_markdown();  // docs/lua-api.md

}  // namespace hone::lua
