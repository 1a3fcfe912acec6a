// lua/judge.hpp: the judge as scripts see it. judgement.log_speedup.lower > 0 is "surely faster".
#pragma once
#include "lua/run.hpp"
#include "run/judge_session.hpp"

namespace hone::lua {

template <> inline constexpr const char* handle_name<JudgeSession> = "hone.Judge";

void push_judgement(lua_State*, const Judgement&);
void push_exemplar(lua_State*, const Exemplar&);
Bindings judge_bindings();

}  // namespace hone::lua
