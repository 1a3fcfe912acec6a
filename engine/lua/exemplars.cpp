#include "lua/exemplars.hpp"
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include "base/error.hpp"
#include "domain/document_text.hpp"
#include "domain/judgement.hpp"
#include "lua/bind.hpp"
#include "text/canonical.hpp"

namespace hone::lua {
namespace {

constexpr const char* cure = "give a list of records as archive:find returns them, with hash and code; {} shows none";

bool has_text(lua_State* L, int table, const char* key) {
    lua_pushstring(L, key);
    const bool has = lua_rawget(L, table) == LUA_TSTRING && lua_rawlen(L, -1) > 0;
    lua_pop(L, 1);
    return has;
}

// The estimate of a speed-up's table; nullopt where the record has no such table.
std::optional<double> estimate_of(lua_State* L, int record, const char* key, const std::string& place) {
    const int top = lua_gettop(L);
    lua_pushstring(L, key);
    if (lua_rawget(L, record) == LUA_TNIL) return lua_settop(L, top), std::nullopt;
    const bool is_table = lua_istable(L, -1);
    if (is_table) lua_pushstring(L, "estimate"), lua_rawget(L, -2);
    const double estimate = is_table && lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : std::nan("");
    lua_settop(L, top);
    if (!std::isfinite(estimate))
        throw Error(Blame::input, place, std::string(key) + " is no table with a finite number `estimate`", cure);
    return estimate;
}

// What a prompt shows as its score: the logarithm, from either table.
double log_estimate(lua_State* L, int record, const std::string& place) {
    const auto plain = estimate_of(L, record, "speedup", place), log = estimate_of(L, record, "log_speedup", place);
    if (log) return *log;
    if (!plain) throw Error(Blame::input, place, "has no speedup", cure);
    if (*plain <= 0) throw Error(Blame::input, place, "speedup.estimate is not above 0", cure);
    return std::log(*plain);
}

std::string raw_text(lua_State* L, int table, const char* key) {
    lua_pushstring(L, key);
    std::string value = lua_rawget(L, table) == LUA_TSTRING ? Type<std::string>::get(L, -1) : std::string();
    lua_pop(L, 1);
    return value;
}

// A prompt would give another task's speed-ups as those of its own.
void check_task(const std::string& own, const std::string& task, const std::string& place) {
    const auto without_shape = [](const std::string& name) { return name.substr(0, name.find(':')); };
    if (own.empty() || without_shape(own) == without_shape(task)) return;
    throw Error(Blame::input, place,
                "is a program of task \"" + own + "\", and the prompt is for task \"" + task + "\"",
                "draw it by archive:find{ task = task }; a record without `task` is shown for any");
}

void check_one(lua_State* L, int record, const std::string& task, const std::string& place) {
    if (!lua_istable(L, record))
        throw Error(Blame::input, place, std::string("a record expected, got ") + luaL_typename(L, record), cure);
    for (const char* key : {"hash", "code"})
        if (!has_text(L, record, key)) throw Error(Blame::input, place, std::string("has no ") + key, cure);
    static const std::vector<std::string> names = describe<Exemplar>().names();
    check_spelling(L, record, place, names);
    check_task(raw_text(L, record, "task"), task, place);
    log_estimate(L, record, place);
}

void push_copy(lua_State* L, int from) {
    lua_newtable(L);
    const int to = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, from);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, to);
    }
    if (lua_getmetatable(L, from)) lua_setmetatable(L, to);
}

// A prompt may add or drop empty lines around a program.
std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
    return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

}  // namespace

void check_exemplars(lua_State* L, int index, const std::string& task, const std::string& place) {
    const int list = lua_absindex(L, index);
    if (!lua_istable(L, list))
        throw Error(Blame::input, place, std::string("exemplars are a list, got ") + luaL_typename(L, list),
                    "return {} from an exemplar strategy to show none");
    if (has_text(L, list, "code") || has_text(L, list, "hash"))
        throw Error(Blame::input, place, "one exemplar stands where a list of exemplars is expected",
                    "write { exemplar }");
    lua_Integer records = 0, keys = 0;
    for (lua_pushnil(L); lua_next(L, list); lua_pop(L, 1)) ++keys;
    std::set<std::string> units;
    for (; lua_rawgeti(L, list, records + 1) != LUA_TNIL; lua_pop(L, 1), ++records) {
        check_one(L, lua_gettop(L), task, place + ": exemplars[" + std::to_string(records + 1) + "]");
        const std::string unit = raw_text(L, lua_gettop(L), "unit");
        units.insert(unit.empty() ? "s" : unit);
    }
    lua_pop(L, 1);
    if (units.size() > 1)
        throw Error(Blame::input, place,
                    "exemplars were measured in \"" + *units.begin() + "\" and in \"" + *units.rbegin() +
                        "\": their scores have no common scale",
                    "show programs of one unit: archive:find { unit = \"" + *units.begin() + "\" }");
    if (keys != records) throw Error(Blame::input, place, "exemplars hold keys beside 1, 2, ...", cure);
}

void make_canonical(lua_State* L, int list, const std::string& fence) {
    lua_createtable(L, static_cast<int>(lua_rawlen(L, list)), 0);
    const int copies = lua_gettop(L);
    for (lua_Integer i = 1; lua_rawgeti(L, list, i) == LUA_TTABLE; lua_settop(L, copies), ++i) {
        const int from = lua_gettop(L);
        const std::string language = raw_text(L, from, "language"), code = raw_text(L, from, "code"),
                          plan = raw_text(L, from, "plan");
        push_copy(L, from);
        if (!code.empty()) set(L, "code", canonical_text(language.empty() ? fence : language, code));
        if (!plan.empty()) set(L, "plan", canonical_text("lua", plan));
        if (!estimate_of(L, from, "log_speedup", "")) {
            lua_createtable(L, 0, 1);
            lua_pushnumber(L, log_estimate(L, from, ""));
            lua_setfield(L, -2, "estimate");
            lua_setfield(L, -2, "log_speedup");
        }
        lua_rawseti(L, copies, i);
    }
    lua_settop(L, copies);
    lua_replace(L, list);
}

Json shown_hashes(const std::vector<Json>& exemplars, const std::vector<Message>& messages) {
    Json hashes = Json::array();
    for (const Json& exemplar : exemplars) {
        const std::string code = trimmed(exemplar.value("code", ""));
        if (std::any_of(messages.begin(), messages.end(),
                        [&](const Message& m) { return !code.empty() && m.text.find(code) != std::string::npos; }))
            hashes.push_back(exemplar["hash"]);
    }
    return hashes;
}

}  // namespace hone::lua
