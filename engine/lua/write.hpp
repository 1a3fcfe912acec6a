// lua/write.hpp: what a policy is asked.
#pragma once
#include "lua/bind.hpp"

namespace hone::lua {

Bindings write_bindings();  // run:write

}  // namespace hone::lua
