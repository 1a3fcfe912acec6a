// lua/write.hpp: what a policy is asked and what its answers are worth.
#pragma once
#include "lua/bind.hpp"

namespace hone::lua {

Bindings write_bindings();  // run:write, run:shape

}  // namespace hone::lua
