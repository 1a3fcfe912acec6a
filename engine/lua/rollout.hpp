// lua/rollout.hpp: run:rollout (run/rollout.hpp) as scripts see it.
#pragma once
#include "lua/bind.hpp"

namespace hone::lua {

Bindings rollout_bindings();

}  // namespace hone::lua
