#include "lua/rng.hpp"
#include <cmath>
#include <numeric>
#include <vector>
#include "base/error.hpp"
#include "lua/tables.hpp"

namespace hone::lua {
namespace {

Random& self(lua_State* L) { return handle<Rng>(L, 1)->random; }

int uniform(lua_State* L) {
    lua_pushnumber(L, self(L).uniform());
    return 1;
}

int below(lua_State* L) {
    const auto n = get<std::int64_t>(L, 2);
    if (n < 1) throw Error(Blame::input, "rng:below", std::to_string(n) + " is not at least 1");
    lua_pushinteger(L, static_cast<lua_Integer>(self(L).below(static_cast<std::uint64_t>(n))));
    return 1;
}

// Of a list or a suite, which has names beside its list; names alone are no list.
lua_Integer length(lua_State* L, const char* place) {
    luaL_checktype(L, 2, LUA_TTABLE);
    const lua_Integer n = list_length(L, 2, place, true);
    return n > 0 ? n : list_length(L, 2, place);
}

std::vector<double> read_weights(lua_State* L, lua_Integer n) {
    std::vector<double> weights;
    for (lua_Integer i = 1; i <= n; ++i) {
        lua_geti(L, 3, i);
        const double weight = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
        if (!(weight >= 0) || std::isinf(weight))
            throw Error(Blame::input, "rng:pick",
                        "weight " + std::to_string(i) + " is " + luaL_tolstring(L, -1, nullptr) +
                            ", no finite number of at least 0");
        weights.push_back(weight);
        lua_pop(L, 1);
    }
    return weights;
}

int pick(lua_State* L) {
    const lua_Integer n = length(L, "rng:pick");
    if (n == 0) throw Error(Blame::input, "rng:pick", "the list is empty");
    lua_Integer chosen = 0;
    if (lua_isnoneornil(L, 3)) {
        chosen = static_cast<lua_Integer>(self(L).below(static_cast<std::uint64_t>(n)));
    } else {
        luaL_checktype(L, 3, LUA_TTABLE);
        const std::vector<double> weights = read_weights(L, n);
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        if (!(sum > 0)) throw Error(Blame::input, "rng:pick", "all weights are 0");
        if (std::isinf(sum))
            throw Error(Blame::input, "rng:pick", "the sum of the weights is not finite", "divide them by the largest");
        double left = self(L).uniform() * sum;
        while (chosen + 1 < n && left >= weights[static_cast<std::size_t>(chosen)])
            left -= weights[static_cast<std::size_t>(chosen++)];
    }
    lua_geti(L, 2, chosen + 1);
    lua_pushinteger(L, chosen + 1);
    return 2;
}

int shuffle(lua_State* L) {
    const lua_Integer n = length(L, "rng:shuffle");
    lua_createtable(L, static_cast<int>(n), 0);
    for (lua_Integer i = 1; i <= n; ++i) {
        lua_geti(L, 2, i);
        lua_rawseti(L, -2, i);
    }
    for (lua_Integer i = n; i > 1; --i) {  // Fisher and Yates
        const auto j = static_cast<lua_Integer>(self(L).below(static_cast<std::uint64_t>(i))) + 1;
        lua_rawgeti(L, -1, i);
        lua_rawgeti(L, -2, j);
        lua_rawseti(L, -3, i);
        lua_rawseti(L, -2, j);
    }
    return 1;
}

}  // namespace

Bindings rng_bindings() {
    using enum Binding::Kind;
    return {
        {method,
         "rng:uniform",
         uniform,
         {},
         {{"number", "number", "at least 0, below 1"}},
         {},
         "The next draw from [0, 1).",
         "0.1"},
        {method,
         "rng:below",
         below,
         {{"n", "integer", "at least 1"}},
         {{"number", "integer", "0 to n - 1"}},
         {},
         "The next whole number from 0 to n - 1. To pick from a list use rng:pick.",
         "0.1"},
        {method,
         "rng:pick",
         pick,
         {{"list", "any[]", "not empty"},
          {"weights", "number[]?", "one for each element; equal if absent; more are passed over"}},
         {{"element", "any", "the one drawn"}, {"index", "integer", "where it stands"}},
         {},
         "Draws one element of a list.",
         "0.1"},
        {method,
         "rng:shuffle",
         shuffle,
         {{"list", "any[]", "left as it is"}},
         {{"shuffled", "any[]", "a copy in random order"}},
         {},
         "A copy of the list in random order.",
         "0.1"},
    };
}

}  // namespace hone::lua
