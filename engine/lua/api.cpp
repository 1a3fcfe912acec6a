#include "lua/api.hpp"
#include "lua/archive.hpp"
#include "lua/conversations.hpp"
#include "lua/judge.hpp"
#include "lua/parts.hpp"
#include "lua/policy.hpp"
#include "lua/reward.hpp"
#include "lua/rng.hpp"
#include "lua/rollout.hpp"
#include "lua/run.hpp"
#include "lua/task.hpp"
#include "lua/write.hpp"

namespace hone::lua {
namespace {

template <class T> void open_class(lua_State* L, const char* owner, lua_CFunction absent = nullptr) {
    make_class(L, handle_name<T>, owner, api(), collect_handle<T>, absent);
}

}  // namespace

const Bindings& api() {
    static const Bindings all = [] {
        Bindings list;
        for (const auto& part : {module_bindings(), conversation_bindings(), run_bindings(), part_bindings(),
                                 task_bindings(), write_bindings(), rollout_bindings(), reward_bindings(),
                                 judge_bindings(), archive_bindings(), policy_bindings(), rng_bindings()})
            list.insert(list.end(), part.begin(), part.end());
        return list;
    }();
    return all;
}

void open_api(lua_State* L) {
    open_class<Run>(L, "run", absent_run_member);
    open_class<TaskHandle>(L, "task", task_member);
    open_class<PolicyHandle>(L, "policy");
    open_class<JudgeSession>(L, "judge");
    open_class<Archive>(L, "archive");
    open_class<Rng>(L, "rng");
    open_class<RecipePart>(L, "recipe");
    open_class<PromptPart>(L, "prompt");
    open_class<ShaperPart>(L, "shaper");
    luaL_getmetatable(L, handle_name<TaskHandle>);
    lua_pushcfunction(L, task_pairs);
    lua_setfield(L, -2, "__pairs");
    lua_pop(L, 1);
    open_module(L);
}

}  // namespace hone::lua
