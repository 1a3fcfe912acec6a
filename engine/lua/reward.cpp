// run:shape and run:rewarded: what judgements are worth, and what a learning stage made of it.
#include "lua/reward.hpp"
#include <algorithm>
#include <cmath>
#include "base/error.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "domain/document_json.hpp"
#include "domain/shaped_answer.hpp"
#include "lua/parts.hpp"
#include "lua/run.hpp"
#include "lua/tables.hpp"

namespace hone::lua {
namespace {

constexpr const char* cure = "give a group from run:rollout";

bool scorable(lua_State* L, int member) {
    lua_getfield(L, member, "judgement");
    if (!lua_istable(L, -1)) throw Error(Blame::input, "run:shape", "a member has no judgement", cure);
    lua_getfield(L, -1, "scorable");
    const bool yes = lua_toboolean(L, -1);
    lua_pop(L, 2);
    return yes;
}

// A shaper's second result, on top of the stack.
std::string given_reason(lua_State* L) {
    if (lua_isnil(L, -1)) return {};
    if (Type<std::string>::is(L, -1)) return valid_utf8(Type<std::string>::get(L, -1));
    throw Error(Blame::input, "run:shape",
                std::string("the shaper's reason is a ") + luaL_typename(L, -1) + ", no text");
}

// shaper(judgement, member) -> number or nil, reason
std::vector<Reward> shape_by_function(lua_State* L, int function, int members, const std::vector<lua_Integer>& which) {
    std::vector<Reward> rewards;
    for (const lua_Integer m : which) {
        lua_pushvalue(L, function);
        lua_geti(L, members, m);
        push_deep_copy(L, lua_gettop(L));
        lua_remove(L, -2);
        lua_getfield(L, -1, "judgement");
        lua_insert(L, -2);
        lua_call(L, 2, 2);
        if (!lua_isnil(L, -2) && !Type<double>::is(L, -2))
            throw Error(Blame::input, "run:shape",
                        std::string("the shaper returned a ") + luaL_typename(L, -2) + ", neither a number nor nil");
        if (!lua_isnil(L, -2) && !std::isfinite(lua_tonumber(L, -2)))
            throw Error(Blame::input, "run:shape",
                        std::string("the shaper returned ") + luaL_tolstring(L, -2, nullptr) + ", no finite number",
                        "return nil to leave an answer out");
        rewards.push_back({lua_isnil(L, -2) ? NAN : lua_tonumber(L, -2), given_reason(L)});
        lua_pop(L, 2);
    }
    return rewards;
}

Json field(lua_State* L, int table, const char* key) {
    lua_getfield(L, table, key);
    Json value = to_json(L, -1);
    lua_pop(L, 1);
    return value;
}

// The judgement of the member on top of the stack, with the keys of its answer.
Json shaped_document(lua_State* L) {
    const int member = lua_gettop(L);
    Json document = field(L, member, "judgement");
    const Json candidate = field(L, member, "candidate"), text = field(L, member, "text"),
               finish = field(L, member, "finish"), tokens = field(L, member, "tokens_out");
    ShapedAnswer answer;
    if (candidate.is_object()) answer.code = candidate.value("code", ""), answer.plan = candidate.value("plan", "");
    if (text.is_string()) answer.text = text;
    if (finish.is_string()) answer.finish = finish;
    if (tokens.is_number()) answer.tokens_out = tokens;
    document.update(document_to_json(answer));
    return document;
}

std::vector<Reward> shape_by_part(lua_State* L, Shaper& shaper, int members, const std::vector<lua_Integer>& which) {
    std::vector<Json> documents;
    for (const lua_Integer m : which) {
        lua_geti(L, members, m);
        documents.push_back(shaped_document(L));
        lua_pop(L, 1);
    }
    return shaper.shape(documents);
}

std::int64_t number_field(lua_State* L, const char* place, int table, const char* key) {
    if (lua_getfield(L, table, key) != LUA_TNUMBER)
        throw Error(Blame::input, place, std::string("the group has no ") + key, cure);
    const std::int64_t value = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

// Those of another run have the same numbers and mean other answers.
void require_own_group(lua_State* L, const char* place, int group) {
    if (!lua_istable(L, group))
        throw Error(Blame::input, place, std::string("a group expected, got ") + luaL_typename(L, group), cure);
    lua_getfield(L, group, "run");
    const auto run = test_handle<Run>(L, -1);
    if (!run) throw Error(Blame::input, place, "the group has no run", cure);
    require_own(*handle<Run>(L, 1), *run, place, "the group");
    lua_pop(L, 1);
}

// Leaves the list of the group's members on the stack.
void push_members(lua_State* L, const char* place, int group) {
    if (lua_getfield(L, group, "members") != LUA_TTABLE)
        throw Error(Blame::input, place, "the group has no members", cure);
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
    require_own_group(L, "run:shape", 3);
    const std::int64_t op = number_field(L, "run:shape", 3, "op"), group = number_field(L, "run:shape", 3, "index") - 1;
    lua_settop(L, 3);
    push_members(L, "run:shape", 3);
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

std::optional<double> number_of(const Json& reward, const char* key, const std::string& place) {
    const Json value = reward.value(key, Json());
    if (value.is_null()) return std::nullopt;
    if (!value.is_number() || !std::isfinite(value.get<double>()))
        throw Error(Blame::input, place, std::string("reward.") + key + " is no finite number",
                    "leave it nil for an answer that is left out");
    return value.get<double>();
}

void check_fields(const Json& table, const std::string& place, const std::string& what,
                  const std::vector<std::string>& fields) {
    for (const auto& [name, value] : table.items())
        if (std::find(fields.begin(), fields.end(), name) == fields.end())
            throw Error(Blame::input, place, what + " has no field \"" + name + "\"", choose(name, fields, "fields"));
}

// What the raw reward and its changes come to is what was optimised.
void check_sum(const Rewarded& reward, const std::string& place) {
    const std::optional<double> last =
        reward.changes.empty() ? reward.raw : number_of(reward.changes.back(), "value", place);
    const double scale = std::max({1.0, std::abs(last.value_or(0)), std::abs(reward.value.value_or(0))});
    const bool both = last && reward.value;
    if (both ? std::abs(*last - *reward.value) <= 1e-9 * scale : !last && !reward.value) return;
    const auto shown = [](const std::optional<double>& value) { return value ? plain_number(*value) : "nil"; };
    throw Error(Blame::input, place,
                "reward.value is " + shown(reward.value) + ", but " +
                    (reward.changes.empty() ? "reward.raw" : "the last of reward.changes") + " is " + shown(last),
                "note what changed the reward: changes = {{ name = \"mine\", value = " + shown(reward.value) + " }}");
}

bool is_list_of_changes(const Json& changes) {
    return changes.is_array() && std::all_of(changes.begin(), changes.end(), [](const Json& change) {
               return change.is_object() && change.value("name", Json()).is_string();
           });
}

Rewarded read_reward(const Json& reward, const std::string& place) {
    if (!reward.is_object())
        throw Error(Blame::input, place, "a member has no reward",
                    "shape the group with shaping.rewards, or set member.reward = {raw =, changes = {}, value =, "
                    "advantage =}");
    check_fields(reward, place, "reward", {"raw", "reason", "changes", "value", "advantage"});
    Json changes = reward.value("changes", Json::array());
    const Json reason = reward.value("reason", Json(""));
    if (!reason.is_string())
        throw Error(Blame::input, place, std::string("reward.reason is a ") + reason.type_name() + ", no text");
    if (!is_list_of_changes(changes))
        throw Error(Blame::input, place, "reward.changes is no list of {name =, value =}",
                    "write changes = {} where nothing changed the reward");
    for (const Json& change : changes) check_fields(change, place, "an entry of reward.changes", {"name", "value"});
    Rewarded read = {number_of(reward, "raw", place), number_of(reward, "value", place),
                     number_of(reward, "advantage", place), reason, std::move(changes)};
    check_sum(read, place);
    return read;
}

// The rewards of the group on top of the stack.
void put_rewards(lua_State* L, Journal& journal) {
    const int group = lua_gettop(L);
    require_own_group(L, "run:rewarded", group);
    const std::int64_t op = number_field(L, "run:rewarded", group, "op");
    const int index = static_cast<int>(number_field(L, "run:rewarded", group, "index")) - 1;
    push_members(L, "run:rewarded", group);
    const int members = lua_gettop(L);
    for (lua_Integer m = 1; lua_geti(L, members, m) == LUA_TTABLE; lua_settop(L, members), ++m)
        journal.put_rewarded({op, index, static_cast<int>(m) - 1},
                             read_reward(field(L, lua_gettop(L), "reward"), "run:rewarded"));
    lua_settop(L, group);
}

int rewarded(lua_State* L) {
    const auto run = handle<Run>(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    const lua_Integer n = list_length(L, 2, "run:rewarded");
    run->journal.together([&] {
        for (lua_Integer g = 1; g <= n; lua_pop(L, 1), ++g) lua_geti(L, 2, g), put_rewards(L, run->journal);
    });
    return 0;
}

}  // namespace

Bindings reward_bindings() {
    using enum Binding::Kind;
    return {
        {method,
         "run:shape",
         shape,
         {{"shaper", "hone.Shaper|fun(judgement: hone.Judgement, member: hone.Member): number?, string?", ""},
          {"group", "hone.Group", "from run:rollout"}},
         {{"rewards", "(number|false)[]", "by member; false: left out, or unscorable"},
          {"reasons", "string[]", "by member"}},
         {},
         "Rewards of a group, committed to the journal. A shaper never sees unscorable members. What a stage makes of "
         "these rewards is committed by run:rewarded.",
         "0.1"},
        {method,
         "run:rewarded",
         rewarded,
         {{"groups", "hone.Group[]", "of run:rollout; each member has its `reward` (hone.Reward)"}},
         {},
         {},
         "Commits what a learning stage made of its rewards: as the shape gave them, each change, what was optimised "
         "and "
         "the advantage. shaping.rewards fills member.reward, shaping.record fills the advantages and calls this.",
         "0.1"},
    };
}

}  // namespace hone::lua
