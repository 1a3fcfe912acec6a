// lua/policy.hpp: policies as scripts see them: a part, or a Lua function.
#pragma once
#include "lua/run.hpp"
#include "run/policy_session.hpp"

namespace hone::lua {

struct PolicyHandle : PolicySession {
    static constexpr const char* lua_name = "hone.Policy";
    // text: of that function
    PolicyHandle(std::shared_ptr<Run> run, std::string name, std::unique_ptr<Policy> part, Ref script,
                 const std::string& text)
        : PolicySession(std::move(run), std::move(name), std::move(part), text), function(std::move(script)) {}
    Ref function;  // where no part answers
};

std::vector<std::int32_t> read_ids(lua_State*, int index);  // a list of token ids, on the stack
Sequences read_sequences(lua_State*, int index);            // a list of such lists, or of tables with `ids`
Bindings policy_bindings();

}  // namespace hone::lua
