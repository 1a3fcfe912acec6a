// lua/parts.hpp: run:policy, run:prompt, run:shaper, run:verifier, run:timer, run:reference: a part by (id, options),
// by Lua file (parts/KIND.ID.lua in a script folder) or, where it runs in this process, by Lua function.
#pragma once
#include <memory>
#include <optional>
#include "lua/run.hpp"
#include "parts/prompt.hpp"
#include "parts/shaper.hpp"

namespace hone::lua {

struct RecipePart {  // what a bench will make: nothing is instantiated here
    static constexpr const char* lua_name = "hone.Recipe";
    Recipe recipe;
};

template <class Part> struct EitherPart {
    std::unique_ptr<Part> part;  // or
    Ref function;
};
struct PromptPart : EitherPart<Prompt> {
    static constexpr const char* lua_name = "hone.Prompt";
};
struct ShaperPart : EitherPart<Shaper> {
    static constexpr const char* lua_name = "hone.Shaper";
};

Bindings part_bindings();

}  // namespace hone::lua
