#include "verifier_cuda/plan/plan_lua.hpp"
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include "hone/script_limits.hpp"

namespace hone::cuda {
namespace {

constexpr long long most_memory = 1 << 20;
constexpr int look_every = 1000, most_instructions = 1'000'000, most_depth = 8, most_values = 8192;

struct Limits {
    script_limits::Memory memory{.most = most_memory};
    int instructions = 0;
};

void count(lua_State* L, lua_Debug* where) {
    Limits& limits = **static_cast<Limits**>(lua_getextraspace(L));
    if ((limits.instructions += look_every) <= most_instructions) return;
    lua_getinfo(L, "Sl", where);
    luaL_error(L, "%s:%d: the plan takes more than %d instructions: a loop without end?", where->short_src,
               where->currentline, most_instructions);
}

lua_Integer positive(lua_State* L, int argument) {
    const lua_Integer n = luaL_checkinteger(L, argument);
    luaL_argcheck(L, n > 0, argument, "must be above 0");
    return n;
}

lua_Integer ceil_div(lua_State* L) {
    const lua_Integer a = luaL_checkinteger(L, 1), b = positive(L, 2);
    luaL_argcheck(L, a >= 0, 1, "must not be negative");
    return a / b + (a % b != 0);
}

int ceil_div_function(lua_State* L) {
    lua_pushinteger(L, ceil_div(L));
    return 1;
}

int round_up_function(lua_State* L) {
    lua_Integer product = 0;
    if (__builtin_mul_overflow(ceil_div(L), lua_tointeger(L, 2), &product))
        return luaL_error(L, "round_up: the result is too large");
    lua_pushinteger(L, product);
    return 1;
}

template <bool least> int choose(lua_State* L) {
    const int n = lua_gettop(L);
    luaL_checktype(L, 1, LUA_TNUMBER);
    int best = 1;
    for (int i = 2; i <= n; ++i) {
        luaL_checktype(L, i, LUA_TNUMBER);
        if (lua_compare(L, least ? i : best, least ? best : i, LUA_OPLT)) best = i;
    }
    lua_pushvalue(L, best);
    return 1;
}

// By-value arguments: {kind = "value", bytes = 4, bits = ...}.
int push_value(lua_State* L, int bytes, std::uint64_t bits) {
    lua_createtable(L, 0, 3);
    lua_pushliteral(L, "value");
    lua_setfield(L, -2, "kind");
    lua_pushinteger(L, bytes);
    lua_setfield(L, -2, "bytes");
    lua_pushinteger(L, static_cast<lua_Integer>(bits));
    lua_setfield(L, -2, "bits");
    return 1;
}

int int_function(lua_State* L) {
    const lua_Integer n = luaL_checkinteger(L, 1);
    const bool fits = n >= std::numeric_limits<std::int32_t>::min() && n <= std::numeric_limits<std::uint32_t>::max();
    if (!fits) return luaL_error(L, "int: the number has more than 32 bits; a plain number is passed as a long of 64");
    return push_value(L, 4, static_cast<std::uint32_t>(n));
}

int float_function(lua_State* L) {
    const float x = static_cast<float>(luaL_checknumber(L, 1));
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return push_value(L, 4, bits);
}

int double_function(lua_State* L) {
    const double x = luaL_checknumber(L, 1);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return push_value(L, 8, bits);
}

template <const char* kind> int marked(lua_State* L) {  // the table that it is given, as an argument of that kind
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_pushstring(L, kind);
    lua_setfield(L, 1, "kind");
    return 1;
}
constexpr char tensor_map[] = "tensor_map", structure[] = "struct";

void open_functions(lua_State* L) {
    constexpr luaL_Reg functions[] = {{"ceil_div", ceil_div_function}, {"round_up", round_up_function},
                                      {"min", choose<true>},           {"max", choose<false>},
                                      {"int", int_function},           {"float", float_function},
                                      {"double", double_function},     {"tensor_map", marked<tensor_map>},
                                      {"struct", marked<structure>}};
    for (const auto& [name, function] : functions) lua_register(L, name, function);
}

void push_numbers(lua_State* L, const Json& numbers) {
    for (const auto& [name, number] : numbers.items()) {
        lua_pushinteger(L, number.get<lua_Integer>());
        lua_setfield(L, -2, name.c_str());
    }
}

// Makes data of what the plan returned.
class Reader {
public:
    explicit Reader(lua_State* L) : L_(L) {}
    Json value(int depth) {
        if (++values_ > most_values)
            throw std::runtime_error("the plan is too long: more than " + std::to_string(most_values) + " values");
        switch (lua_type(L_, -1)) {
            case LUA_TBOOLEAN:
                return lua_toboolean(L_, -1) != 0;
            case LUA_TSTRING:
                return lua_tostring(L_, -1);
            case LUA_TNUMBER:
                return number();
            case LUA_TTABLE:
                return table(depth);
            default:
                throw std::runtime_error(std::string("the plan holds a ") + luaL_typename(L_, -1) +
                                         ", which is no data");
        }
    }

private:
    Json number() const {
        if (lua_isinteger(L_, -1)) return lua_tointeger(L_, -1);
        const double x = lua_tonumber(L_, -1);
        if (!std::isfinite(x))
            throw std::runtime_error(
                "the plan holds a number that is not finite; as an argument write float(x) or double(x)");
        return x;
    }
    Json table(int depth) {
        if (depth == most_depth)
            throw std::runtime_error("the plan's tables are nested more than " + std::to_string(most_depth) + " deep");
        Json object = Json::object();
        for (lua_pushnil(L_); lua_next(L_, -2); lua_pop(L_, 1)) object[key()] = value(depth + 1);
        return object;
    }
    std::string key() const {
        if (lua_isinteger(L_, -2) && lua_tointeger(L_, -2) > 0) return std::to_string(lua_tointeger(L_, -2));
        const char* name = lua_type(L_, -2) == LUA_TSTRING ? lua_tostring(L_, -2) : "";
        if ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_') return name;
        throw std::runtime_error("the plan holds a table whose keys are neither names nor the numbers of a list");
    }
    lua_State* L_;
    int values_ = 0;
};

struct CloseState {
    void operator()(lua_State* L) const { lua_close(L); }
};

std::string fault(lua_State* L, const Limits& limits) {
    if (limits.memory.refused)
        return "the plan needs more than " + std::to_string(most_memory >> 10) + " KiB of memory";
    const char* message = lua_tostring(L, -1);
    return message ? message : "the plan failed";
}

// Of a name that stands for nothing: as a hole in a list it would be told much later.
int unknown_name(lua_State* L) {
    return luaL_error(L, "no name \"%s\" is known here; the task's sizes are: %s", lua_tostring(L, 2),
                      lua_tostring(L, lua_upvalueindex(1)));
}

void refuse_unknown_names(lua_State* L, const Json& sizes) {
    std::string names;
    for (const auto& [name, size] : sizes.items()) names += (names.empty() ? "" : ", ") + name;
    lua_pushglobaltable(L);
    lua_createtable(L, 0, 1);
    lua_pushstring(L, names.c_str());
    lua_pushcclosure(L, unknown_name, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

// Runs under lua_pcall: what it raises is Lua's.
int prepare(lua_State* L) {
    open_functions(L);
    const auto& [sizes, device] = *static_cast<std::pair<const Json*, const Json*>*>(lua_touserdata(L, 1));
    lua_createtable(L, 0, 3);
    push_numbers(L, *device);
    lua_setglobal(L, "device");
    lua_pushglobaltable(L);
    push_numbers(L, *sizes);
    refuse_unknown_names(L, *sizes);
    return 0;
}

}  // namespace

Json evaluate_plan(const std::string& text, const Json& sizes, const Json& device) {
    Limits limits;
    const std::unique_ptr<lua_State, CloseState> state(lua_newstate(script_limits::Memory::allocate, &limits.memory));
    lua_State* const L = state.get();
    if (!L) throw std::runtime_error("out of memory");
    *static_cast<Limits**>(lua_getextraspace(L)) = &limits;
    const auto check = [&](int status) {
        if (status != LUA_OK) throw std::runtime_error(fault(L, limits));
    };
    std::pair<const Json*, const Json*> facts(&sizes, &device);
    lua_pushcfunction(L, prepare);
    lua_pushlightuserdata(L, &facts);
    check(lua_pcall(L, 1, 0, 0));
    lua_sethook(L, count, LUA_MASKCOUNT, look_every);
    check(luaL_loadbufferx(L, text.data(), text.size(), "=plan.lua", "t"));
    check(lua_pcall(L, 0, 1, 0));
    if (!lua_istable(L, -1))
        throw std::runtime_error(std::string("the plan returns no table but a ") + luaL_typename(L, -1) + " value");
    if (!lua_checkstack(L, 3 * most_depth)) throw std::runtime_error(fault(L, limits));
    return Reader(L).value(0);
}

}  // namespace hone::cuda
