// run:write and run:shape: prompt strategies and reward shapers, as parts or as functions.
#include "lua/write.hpp"
#include <cmath>
#include "base/error.hpp"
#include "lua/exemplars.hpp"
#include "lua/judge.hpp"
#include "lua/parts.hpp"
#include "lua/policy.hpp"
#include "lua/rng.hpp"
#include "lua/tables.hpp"
#include "lua/task.hpp"

namespace hone::lua {
namespace {

constexpr int exemplars_at = 4;

// Sets the field `shown` of the messages on top of the stack, unless the prompt has said it.
void set_shown(lua_State* L, const std::vector<Json>& exemplars, const std::vector<Message>& messages,
               const std::optional<Json>& said) {
    push_json(L, said ? *said : shown_hashes(exemplars, messages));
    lua_setfield(L, -2, "shown");
}

void write_by_part(lua_State* L, Prompt& prompt, const Task& task, std::uint64_t seed) {
    const auto exemplars = to_json(L, exemplars_at).get<std::vector<Json>>();
    const std::vector<Message> messages = prompt.write(to_json(task), exemplars, seed);
    push_messages(L, messages);
    set(L, "fenced", prompt.facts().value("fenced", 1.0) != 0);
    set_shown(L, exemplars, messages, {});
}

// prompt(task, exemplars, rng) -> text or messages
void write_by_function(lua_State* L, const Ref& function, const TaskHandle& task, std::uint64_t seed) {
    function.push(L);
    push_handle(L, std::make_shared<TaskHandle>(task));
    lua_pushvalue(L, exemplars_at);
    push_handle(L, std::make_shared<Rng>(Rng{Random(seed)}));
    lua_call(L, 3, 1);
    bool fenced = true;
    std::optional<Json> said;
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, "fenced");
        fenced = lua_isnil(L, -1) || lua_toboolean(L, -1);
        if (lua_getfield(L, -2, "shown") == LUA_TTABLE) said = to_json(L, -1);
        lua_pop(L, 2);
    } else if (!lua_isstring(L, -1)) {
        throw Error(
            Blame::input, "run:write",
            std::string("the prompt function returned a ") + luaL_typename(L, -1) + ", neither text nor messages");
    }
    const std::vector<Message> messages = read_messages(L, -1);
    push_messages(L, messages);
    set(L, "fenced", fenced);
    set_shown(L, to_json(L, exemplars_at).get<std::vector<Json>>(), messages, said);
}

int facts(lua_State* L) {
    const auto prompt = handle<PromptPart>(L, 1);
    push_json(L, prompt->part ? prompt->part->facts() : Json::object());
    return 1;
}

int write(lua_State* L) {
    const bool none = lua_gettop(L) < exemplars_at;
    lua_settop(L, 6);
    const auto run = handle<Run>(L, 1);
    const auto prompt = handle<PromptPart>(L, 2);
    const auto task = handle<TaskHandle>(L, 3);
    const std::string name = get<std::string>(L, 5, std::string(task->task.name()));
    const auto judge = lua_isnoneornil(L, 6) ? nullptr : handle<JudgeSession>(L, 6);
    if (none) {
        lua_newtable(L);
        lua_replace(L, exemplars_at);
    }
    check_exemplars(L, exemplars_at, "run:write");
    TaskHandle briefed = *task;
    briefed.task.brief = (judge ? *judge : run->default_judge()).brief(task->task);
    const std::string fences = briefed.task.brief->value("fences", "");
    make_canonical(L, exemplars_at, fences.substr(0, fences.find(' ')));
    const std::uint64_t seed = run->derive("prompt/" + name);
    if (prompt->part) write_by_part(L, *prompt->part, briefed.task, seed);
    else write_by_function(L, prompt->function, briefed, seed);
    return 1;
}

bool scorable(lua_State* L, int member) {
    lua_getfield(L, member, "judgement");
    if (!lua_istable(L, -1))
        throw Error(Blame::input, "run:shape", "a member has no judgement", "give a group from run:rollout");
    lua_getfield(L, -1, "scorable");
    const bool yes = lua_toboolean(L, -1);
    lua_pop(L, 2);
    return yes;
}

std::vector<Reward> shape_by_function(lua_State* L, int function, int members, const std::vector<lua_Integer>& which) {
    std::vector<Reward> rewards;
    for (const lua_Integer m : which) {
        lua_pushvalue(L, function);
        lua_geti(L, members, m);
        lua_getfield(L, -1, "judgement");
        lua_remove(L, -2);
        lua_call(L, 1, 2);
        if (!lua_isnil(L, -2) && !Type<double>::is(L, -2))
            throw Error(Blame::input, "run:shape",
                        std::string("the shaper returned a ") + luaL_typename(L, -2) + ", neither a number nor nil");
        if (!lua_isnil(L, -2) && !std::isfinite(lua_tonumber(L, -2)))
            throw Error(Blame::input, "run:shape",
                        std::string("the shaper returned ") + luaL_tolstring(L, -2, nullptr) + ", no finite number",
                        "return nil to leave an answer out");
        rewards.push_back({lua_isnil(L, -2) ? NAN : lua_tonumber(L, -2), luaL_optstring(L, -1, "")});
        lua_pop(L, 2);
    }
    return rewards;
}

std::vector<Reward> shape_by_part(lua_State* L, Shaper& shaper, int members, const std::vector<lua_Integer>& which) {
    std::vector<Json> judgements;
    for (const lua_Integer m : which) {
        lua_geti(L, members, m);
        lua_getfield(L, -1, "judgement");
        judgements.push_back(to_json(L, -1));
        lua_pop(L, 2);
    }
    return shaper.shape(judgements);
}

std::int64_t number_field(lua_State* L, int table, const char* key) {
    if (lua_getfield(L, table, key) != LUA_TNUMBER)
        throw Error(Blame::input, "run:shape", std::string("the group has no ") + key, "give a group from run:rollout");
    const std::int64_t value = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

void push_rewards(lua_State* L, lua_Integer members, const std::vector<lua_Integer>& which,
                  const std::vector<Reward>& rewards) {
    lua_createtable(L, static_cast<int>(members), 0);
    lua_createtable(L, static_cast<int>(members), 0);
    for (lua_Integer m = 1; m <= members; ++m) {
        lua_pushboolean(L, false);
        lua_rawseti(L, -3, m);
        lua_pushliteral(L, "");
        lua_rawseti(L, -2, m);
    }
    for (std::size_t i = 0; i < which.size(); ++i) {
        push(L, rewards[i].reason);
        lua_rawseti(L, -2, which[i]);
        if (std::isnan(rewards[i].value)) continue;
        lua_pushnumber(L, rewards[i].value);
        lua_rawseti(L, -3, which[i]);
    }
}

int shape(lua_State* L) {
    const auto run = handle<Run>(L, 1);
    luaL_checktype(L, 3, LUA_TTABLE);
    const auto shaper = lua_isfunction(L, 2) ? nullptr : handle<ShaperPart>(L, 2);
    const std::int64_t op = number_field(L, 3, "op"), group = number_field(L, 3, "index") - 1;
    lua_settop(L, 3);
    if (lua_getfield(L, 3, "members") != LUA_TTABLE)
        throw Error(Blame::input, "run:shape", "the group has no members", "give a group from run:rollout");
    if (shaper && !shaper->part) shaper->function.push(L);
    else lua_pushvalue(L, 2);
    constexpr int members = 4, function = 5;
    const lua_Integer n = luaL_len(L, members);
    std::vector<lua_Integer> which;
    for (lua_Integer m = 1; m <= n; ++m) {
        lua_geti(L, members, m);
        if (scorable(L, lua_gettop(L))) which.push_back(m);
        lua_pop(L, 1);
    }
    const std::vector<Reward> rewards = shaper && shaper->part ? shape_by_part(L, *shaper->part, members, which)
                                                               : shape_by_function(L, function, members, which);
    run->journal.together([&] {
        for (std::size_t i = 0; i < which.size(); ++i)
            run->journal.put_reward({op, static_cast<int>(group), static_cast<int>(which[i]) - 1}, rewards[i].value,
                                    rewards[i].reason);
    });
    push_rewards(L, n, which, rewards);
    return 2;
}

}  // namespace

Bindings write_bindings() {
    using enum Binding::Kind;
    return {
        {method,
         "prompt:facts",
         facts,
         {},
         {{"facts", "table",
           "by the part's own names: fenced (0: the whole answer is the program), speaks (only a policy that says the "
           "same reads it); empty for a Lua function"}},
         {},
         "What the part says of itself.",
         "0.1"},
        {method,
         "run:write",
         write,
         {{"prompt", "hone.Prompt", ""},
          {"task", "hone.Task", ""},
          {"exemplars", "hone.Exemplar[]?", "from the archive, with scores: records with hash and code; {} for none"},
          {"name", "string?", "names the random stream, such as \"rl/12/softmax\" (default: the task's name)"},
          {"judge", "hone.Judge?", "who briefs; the run's first unless said"}},
         {{"messages", "hone.Message[]",
           "with `fenced`: whether the answer's program stands between fences; and `shown`: hashes of the exemplars "
           "whose whole program the messages hold (a prompt that shortens programs sets `shown` itself)"}},
         {},
         "Messages for a task from a prompt strategy. The strategy sees the task with the verifier's `brief`, and of "
         "each "
         "exemplar's code the canonical text, without comments, free texts and sentences; names of up to 24 bytes "
         "stay.",
         "0.1"},
        {method,
         "run:shape",
         shape,
         {{"shaper", "hone.Shaper|fun(judgement: hone.Judgement): number?, string?", ""},
          {"group", "hone.Group", "from run:rollout"}},
         {{"rewards", "(number|false)[]", "by member; false: left out, or unscorable"},
          {"reasons", "string[]", "by member"}},
         {},
         "Rewards of a group, committed to the journal. A shaper never sees unscorable members.",
         "0.1"},
    };
}

}  // namespace hone::lua
