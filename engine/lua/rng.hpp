// lua/rng.hpp: random streams in Lua. A stream is named; its draws depend on the run's seed, the name and their number
// only.
#pragma once
#include "base/random.hpp"
#include "lua/bind.hpp"

namespace hone::lua {

struct Rng {
    static constexpr const char* lua_name = "hone.Rng";
    Random random;
};

Bindings rng_bindings();

}  // namespace hone::lua
