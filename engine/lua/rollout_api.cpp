// run:rollout: reads its options, calls policies that are Lua functions, builds the groups.
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "lua/captured.hpp"
#include "lua/exemplars.hpp"
#include "lua/judge.hpp"
#include "lua/messages.hpp"
#include "lua/policy.hpp"
#include "lua/rng.hpp"
#include "lua/rollout.hpp"
#include "lua/state.hpp"
#include "lua/strict.hpp"
#include "lua/tables.hpp"
#include "lua/task.hpp"
#include "run/rollout.hpp"

namespace hone::lua {
namespace {

// The stack of one call: where its values lie, so that tables given by the script come back in the groups.
constexpr int run_at = 1, options_at = 2, prompts_at = 3;

Json hashes_of(lua_State* L, int exemplars) {
    Json hashes = Json::array();
    for (const Json& exemplar : to_json(L, exemplars)) hashes.push_back(exemplar["hash"]);
    return hashes;
}

// prompts[i].policy, preset: the rollout's own.
std::shared_ptr<PolicySession> read_policy(lua_State* L, int entry, const RolloutPlan& plan, const std::string& place) {
    std::shared_ptr<PolicySession> policy = plan.policy;
    if (lua_getfield(L, entry, "policy") != LUA_TNIL) policy = test_handle<PolicyHandle>(L, -1);
    lua_pop(L, 1);
    if (!policy)
        throw Error(Blame::input, "run:rollout", place + ".policy is no policy",
                    "write policy = run:policy(...) there, or for all prompts");
    require_own(*handle<Run>(L, run_at), policy->run(), "run:rollout", place + ".policy");
    return policy;
}

RolloutPrompt read_prompt(lua_State* L, lua_Integer i, const RolloutPlan& plan) {
    const std::string place = "prompts[" + std::to_string(i) + "]";
    lua_geti(L, prompts_at, i);
    if (!lua_istable(L, -1))
        throw Error(Blame::input, "run:rollout", place + " is no table {task=, messages=, exemplars=}");
    const int entry = lua_gettop(L);
    RolloutPrompt prompt;
    prompt.policy = read_policy(L, entry, plan, place);
    lua_getfield(L, entry, "task");
    const auto task = test_handle<TaskHandle>(L, -1);
    if (!task) throw Error(Blame::input, "run:rollout", place + ".task is no task", "take it from run:suite(...)");
    prompt.task = {task, &task->task};
    if (lua_getfield(L, entry, "messages") == LUA_TNIL)
        throw Error(Blame::input, "run:rollout", place + " has no messages",
                    "write messages = run:write(prompt, task, exemplars, name)");
    prompt.messages = read_messages(L, -1);
    prompt.fenced = read_fenced(L, lua_gettop(L));
    const std::optional<Json> noted = read_shown(L, lua_gettop(L));  // by run:write; else all that the entry names
    if (lua_getfield(L, entry, "exemplars") != LUA_TNIL) {
        check_exemplars(L, lua_gettop(L), prompt.task->name(), "run:rollout: " + place);
        prompt.exemplars = noted ? *noted : hashes_of(L, lua_gettop(L));
    }
    lua_settop(L, entry - 1);
    return prompt;
}

std::vector<std::string> read_stop(lua_State* L, const Options& options) {
    std::vector<std::string> stop;
    if (options.push("stop") == LUA_TNIL) return lua_pop(L, 1), stop;
    const Json given = to_json(L, -1);
    lua_pop(L, 1);
    for (const Json& text : given.is_array() ? given : Json::array({given})) {
        if (!text.is_string() || text.get<std::string>().empty())
            throw Error(Blame::input, "run:rollout", "option \"stop\" is no list of texts",
                        "give stop = { \"\\n\\n\" }");
        stop.push_back(text);
    }
    return stop;
}

Sampling read_sampling(lua_State* L, const Options& options) {
    const auto refuse = [](const std::string& option, double value, const char* why) {
        throw Error(Blame::input, "run:rollout", option + " = " + plain_number(value) + why);
    };
    Sampling by;
    by.temperature = options.get("temperature", 1.0);
    by.top_p = options.get("top_p", 1.0);
    by.min_p = options.get("min_p", 0.0);
    by.top_k = static_cast<std::int32_t>(options.get<std::int64_t>("top_k", 0));
    by.max_tokens = static_cast<std::int32_t>(options.get<std::int64_t>("max_tokens", 1024));
    by.stop = read_stop(L, options);
    if (by.max_tokens < 1) refuse("max_tokens", by.max_tokens, " is not at least 1");
    if (!(by.temperature >= 0)) refuse("temperature", by.temperature, " is below 0");
    if (!(by.top_p > 0 && by.top_p <= 1)) refuse("top_p", by.top_p, " is not above 0 and at most 1");
    if (!(by.min_p >= 0 && by.min_p < 1)) refuse("min_p", by.min_p, " is not at least 0 and below 1");
    if (by.top_k < 0) refuse("top_k", by.top_k, " is below 0");
    return by;
}

RolloutPlan read_plan(lua_State* L) {
    const Options options(L, options_at);
    RolloutPlan plan;
    if (options.has("policy")) plan.policy = options.handle<PolicyHandle>("policy");
    plan.judge = options.handle<JudgeSession>("judge");
    require_own(*handle<Run>(L, run_at), plan.judge->run(), "run:rollout", "option \"judge\"");
    plan.group = static_cast<int>(options.get<std::int64_t>("group", 1));
    plan.sampling = read_sampling(L, options);
    plan.stage = options.get<std::string>("stage", "");
    if (!is_utf8(plan.stage)) throw Error(Blame::input, "run:rollout", "option \"stage\" is no UTF-8");
    options.push("step");
    plan.step = to_json(L, -1);
    lua_pop(L, 1);
    if (plan.group < 1)
        throw Error(Blame::input, "run:rollout", "group = " + std::to_string(plan.group) + " is not at least 1");
    if (options.push("prompts") != LUA_TTABLE) options.wrong("prompts", "list", lua_type(L, -1));
    const lua_Integer n = list_length(L, prompts_at, "run:rollout: prompts");
    for (lua_Integer i = 1; i <= n; ++i) plan.prompts.push_back(read_prompt(L, i, plan));
    if (plan.prompts.empty()) plan.policy = options.handle<PolicyHandle>("policy");
    return plan;
}

std::string in_front_of(const std::vector<std::string>& stop, std::string text) {
    for (const std::string& end : stop) text.resize(std::min(text.size(), text.find(end)));
    return text;
}

// policy(request) -> text. What the function writes into its request is its own: the prompt's other members get theirs.
std::string ask(lua_State* L, const RolloutPlan& plan, std::size_t prompt, int member, std::uint64_t seed) {
    const auto& policy = static_cast<const PolicyHandle&>(*plan.prompts[prompt].policy);  // every one of a script is
    policy.function.push(L);
    lua_createtable(L, 0, 7);
    lua_geti(L, prompts_at, static_cast<lua_Integer>(prompt) + 1);
    for (const char* key : {"task", "messages", "exemplars"}) {
        if (lua_getfield(L, -1, key) == LUA_TTABLE) {
            push_deep_copy(L, lua_gettop(L));
            lua_remove(L, -2);
        }
        lua_setfield(L, -3, key);
    }
    lua_pop(L, 1);
    set(L, "member", static_cast<std::int64_t>(member) + 1);
    set(L, "temperature", plan.sampling.temperature);
    set(L, "max_tokens", static_cast<std::int64_t>(plan.sampling.max_tokens));
    push_handle(L, std::make_shared<Rng>(Rng{Random(seed)}));
    lua_setfield(L, -2, "rng");
    make_strict(L, "hone.Request", "request");
    const Inside inside(policy.run().session, "policy \"" + policy.name() + "\"");
    lua_call(L, 1, 1);
    if (!Type<std::string>::is(L, -1))
        throw Error(Blame::input, "policy \"" + policy.name() + "\"",
                    std::string("the function returned a ") + luaL_typename(L, -1) + ", no text");
    std::string text = valid_utf8(Type<std::string>::get(L, -1));  // as an answer of a part
    lua_pop(L, 1);
    return in_front_of(plan.sampling.stop, std::move(text));
}

void push_member(lua_State* L, const Rollout::Member& member) {
    push_json(L, *member.answer);
    make_strict(L, "hone.Member", "member");
    push_judgement(L, *member.judgement);
    lua_setfield(L, -2, "judgement");
    if (!member.parsed.ok) return;
    Json candidate = to_json(member.parsed.candidate);
    candidate["analysis"] = member.parsed.analysis;
    candidate["design"] = member.parsed.design;
    push_json(L, candidate);
    make_strict(L, "hone.Program", "candidate");
    lua_setfield(L, -2, "candidate");
}

void push_groups(lua_State* L, const Rollout& rollout) {
    const RolloutPlan& plan = rollout.plan();
    lua_createtable(L, static_cast<int>(plan.prompts.size()), 0);
    for (std::size_t g = 0; g < plan.prompts.size(); ++g) {
        lua_createtable(L, 0, 8);
        make_strict(L, "hone.Group", "group");
        lua_geti(L, prompts_at, static_cast<lua_Integer>(g) + 1);
        for (const char* key : {"task", "messages", "exemplars"}) {
            lua_getfield(L, -1, key);
            lua_setfield(L, -3, key);
        }
        lua_setfield(L, -2, "prompt");
        lua_pushvalue(L, run_at);
        lua_setfield(L, -2, "run");
        set(L, "op", rollout.op());
        set(L, "index", static_cast<std::int64_t>(g) + 1);
        lua_createtable(L, plan.group, 0);
        for (int m = 0; m < plan.group; ++m) {
            push_member(L, rollout.member(g, m));
            lua_rawseti(L, -2, m + 1);
        }
        lua_setfield(L, -2, "members");
        lua_rawseti(L, -2, static_cast<lua_Integer>(g) + 1);
    }
}

// By name, what each policy of the script uses (function_text).
std::map<std::string, std::string> texts_of_policies(lua_State* L, const RolloutPlan& plan) {
    std::map<std::string, std::string> texts;
    for (const PolicySession* session : plan.policies()) {
        const auto& policy = static_cast<const PolicyHandle&>(*session);  // every one of a script is
        if (!policy.function) continue;
        policy.function.push(L);
        texts[policy.name()] = function_text(L, -1);
        lua_pop(L, 1);
    }
    return texts;
}

void tell_of_memories(lua_State* L, const RolloutPlan& plan, const std::map<std::string, std::string>& before) {
    for (const auto& [name, text] : texts_of_policies(L, plan))
        tell_of_memory(
            plan.judge->run().session, "policy \"" + name + "\"", before.at(name), text,
            "answers are other ones; take what is to last from request.exemplars, and chance from request.rng");
}

int rollout(lua_State* L) {
    handle<Run>(L, run_at);
    lua_settop(L, options_at);
    RolloutPlan plan = read_plan(L);
    const std::map<std::string, std::string> before = texts_of_policies(L, plan);
    Rollout work(plan, [L, plan](std::size_t prompt, int member, std::uint64_t seed) {
        return ask(L, plan, prompt, member, seed);
    });
    work.run();
    tell_of_memories(L, plan, before);
    push_groups(L, work);
    return 1;
}

}  // namespace

Bindings rollout_bindings() {
    using enum Binding::Kind;
    return {
        {method,
         "run:rollout",
         rollout,
         {{"options", "table", ""}},
         {{"groups", "hone.Group[]", "one a prompt"}},
         {{"policy", "hone.Policy?", "who answers the prompts that name no policy of their own"},
          {"judge", "hone.Judge", "who judges"},
          {"prompts",
           "{task: hone.Task, messages: hone.Message[], exemplars: hone.Exemplar[]?, policy: hone.Policy?, [string]: "
           "any}[]",
           "one for each group; other fields come back in group.prompt"},
          {"group", "integer?", "answers to each prompt (default 1)"},
          {"temperature", "number?", "default 1"},
          {"top_p", "number?", "draw from the most likely tokens that hold this share (default 1)"},
          {"top_k", "integer?", "draw from so many of the most likely tokens (default 0: all)"},
          {"min_p", "number?", "draw from tokens that are at least so likely beside the most likely one (default 0)"},
          {"stop", "string|string[]|nil", "texts in front of which an answer ends"},
          {"max_tokens", "integer?", "of one answer (default 1024)"},
          {"stage", "string?", "for the journal and the progress line"},
          {"step", "any", "likewise"}},
         "Answers to prompts, judged. Policies that work elsewhere (fact device \"remote\") write at the same time. "
         "One operation of the journal: members are committed in order, and what was "
         "committed before an "
         "interruption is neither sampled "
         "nor judged again.",
         "0.1"}};
}

}  // namespace hone::lua
