#include "lua/judge.hpp"
#include <algorithm>
#include <cmath>
#include "base/options.hpp"
#include "lua/tables.hpp"

namespace hone::lua {
namespace {

// speedup.estimate, lower, upper as natural logarithms
void take_logarithms(Json& doc) {
    const auto speedup = doc.find("speedup");
    if (speedup == doc.end() || !speedup->is_object()) return;
    for (const char* key : {"estimate", "lower", "upper"})
        if (speedup->contains(key) && (*speedup)[key].is_number())
            (*speedup)[key] = std::log((*speedup)[key].get<double>());
}

// A table whose absent keys may be read as nil where a judgement may lack them, and are errors where they are misspelt.
struct StrictTable {
    const char *lua_name, *shown;
    std::vector<std::string> keys;
};
const StrictTable strict_judgement = {
    "hone.Judgement",
    "judgement",
    {"schema",    "id",      "task",     "hash",     "task_hash",      "verdict",        "passed",  "scorable",
     "reason",    "outcome", "speedup",  "seconds",  "pairs",          "noise",          "trust",   "wall",
     "device",    "sandbox", "verifier", "timer",    "reference",      "keys",           "kind",    "unit",
     "samples",   "clock",   "facts",    "log",      "roofline_share", "defences_off",   "failure", "discarded",
     "processes", "planted", "cuda_l1",  "roofline", "baseline_form",  "baseline_forms", "suite",   "sizes"}};
const StrictTable strict_speedup = {"hone.Speedup", "speedup", {"estimate", "lower", "upper", "level", "baseline"}};

int absent_key(lua_State* L) {
    const auto& table = *static_cast<const StrictTable*>(lua_touserdata(L, lua_upvalueindex(1)));
    const std::string key = luaL_tolstring(L, 2, nullptr);
    if (std::find(table.keys.begin(), table.keys.end(), key) == table.keys.end())
        fail(L, std::string(table.shown) + " has no \"" + key + "\"" + suggestion(key, table.keys));
    return lua_pushnil(L), 1;
}

void make_strict(lua_State* L, const StrictTable& table) {  // the table on top of the stack
    if (luaL_newmetatable(L, table.lua_name)) {
        lua_pushlightuserdata(L, const_cast<StrictTable*>(&table));
        lua_pushcclosure(L, absent_key, 1);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
}

// A document with `speedup` below it.
void push_strict(lua_State* L, const Json& doc) {
    push_json(L, doc);
    if (lua_getfield(L, -1, "speedup") == LUA_TTABLE) make_strict(L, strict_speedup);
    lua_pop(L, 1);
}

}  // namespace

void push_judgement(lua_State* L, const Json& doc) {
    Json shown = doc;
    take_logarithms(shown);
    const bool passed = doc.value("verdict", "") == "PASSED";
    shown["passed"] = passed;
    shown["scorable"] = doc.value("verdict", "") != "INFRASTRUCTURE";
    if (!shown.contains("noise") || !shown["noise"].is_number()) shown["noise"] = 0.0;
    push_strict(L, shown);
    make_strict(L, strict_judgement);
}

void push_exemplar(lua_State* L, Json row) {
    take_logarithms(row);
    row["passed"] = true;
    push_strict(L, row);
}

}  // namespace hone::lua
