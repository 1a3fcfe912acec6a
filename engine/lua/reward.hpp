// lua/reward.hpp: what answers are worth.
#pragma once
#include "lua/bind.hpp"

namespace hone::lua {

Bindings reward_bindings();  // run:shape, run:rewarded

}  // namespace hone::lua
