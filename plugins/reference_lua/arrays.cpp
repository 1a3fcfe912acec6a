#include "arrays.hpp"
#include <algorithm>
#include <limits>

namespace arrays {
namespace {

bool single(lua_State* lua) { return lua_toboolean(lua, lua_upvalueindex(1)) != 0; }
double rounded(lua_State* lua, double value) {
    return single(lua) ? static_cast<double>(static_cast<float>(value)) : value;
}

Shape shape_of(lua_State* lua, int index) {
    Shape shape;
    if (lua_getfield(lua, index, "shape") != LUA_TTABLE)
        luaL_error(lua, "argument %d is not an array: it has no shape", index);
    for (lua_Integer i = 1, n = luaL_len(lua, -1); i <= n; ++i) {
        lua_rawgeti(lua, -1, i);
        shape.push_back(lua_tointeger(lua, -1));
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return shape;
}

Shape matrix_shape(lua_State* lua, int index) {
    luaL_checktype(lua, index, LUA_TTABLE);
    Shape shape = shape_of(lua, index);
    if (shape.size() != 2) luaL_error(lua, "argument %d has rank %d, not 2", index, static_cast<int>(shape.size()));
    return shape;
}

// array.map(f, a, b, ...): f of the elements at each position; all arrays have the first one's shape
int map(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TFUNCTION);
    const int arguments = lua_gettop(lua) - 1;
    if (arguments < 1) luaL_error(lua, "array.map needs an array");
    const Shape shape = shape_of(lua, 2);
    std::vector<double> out(static_cast<size_t>(luaL_len(lua, 2)));
    for (size_t i = 0; i < out.size(); ++i) {
        lua_pushvalue(lua, 1);
        for (int a = 0; a < arguments; ++a) lua_rawgeti(lua, 2 + a, static_cast<lua_Integer>(i + 1));
        lua_call(lua, arguments, 1);
        out[i] = rounded(lua, luaL_checknumber(lua, -1));
        lua_pop(lua, 1);
    }
    push(lua, out, shape);
    return 1;
}

int sum(lua_State* lua) {
    double total = 0;
    for (double value : take(lua, 1)) total = rounded(lua, total + value);
    push(lua, {total}, {1});
    return 1;
}

template <class Fold> int fold_rows(lua_State* lua, double start, Fold fold) {
    const Shape shape = matrix_shape(lua, 1);
    const std::vector<double> values = take(lua, 1);
    std::vector<double> out(static_cast<size_t>(shape[0]), start);
    for (size_t i = 0; i < values.size(); ++i) {
        double& row = out[i / static_cast<size_t>(shape[1])];
        row = rounded(lua, fold(row, values[i]));
    }
    push(lua, out, {shape[0]});
    return 1;
}

int sum_rows(lua_State* lua) {
    return fold_rows(lua, 0, [](double total, double value) { return total + value; });
}

int max_rows(lua_State* lua) {
    return fold_rows(lua, -std::numeric_limits<double>::infinity(),
                     [](double most, double value) { return std::max(most, value); });
}

int matmul(lua_State* lua) {
    const Shape left = matrix_shape(lua, 1), right = matrix_shape(lua, 2);
    if (left[1] != right[0])
        luaL_error(lua, "array.matmul: %d columns against %d rows", static_cast<int>(left[1]),
                   static_cast<int>(right[0]));
    const std::vector<double> a = take(lua, 1), b = take(lua, 2);
    const auto rows = static_cast<size_t>(left[0]), inner = static_cast<size_t>(left[1]),
               columns = static_cast<size_t>(right[1]);
    std::vector<double> out(rows * columns, 0.0);
    for (size_t r = 0; r < rows; ++r)
        for (size_t k = 0; k < inner; ++k)
            for (size_t c = 0; c < columns; ++c)
                out[r * columns + c] =
                    rounded(lua, out[r * columns + c] + rounded(lua, a[r * inner + k] * b[k * columns + c]));
    push(lua, out, {left[0], right[1]});
    return 1;
}

}  // namespace

void push(lua_State* lua, const std::vector<double>& values, const Shape& shape) {
    lua_createtable(lua, static_cast<int>(values.size()), 1);
    for (size_t i = 0; i < values.size(); ++i) {
        lua_pushnumber(lua, values[i]);
        lua_rawseti(lua, -2, static_cast<lua_Integer>(i + 1));
    }
    lua_createtable(lua, static_cast<int>(shape.size()), 0);
    for (size_t i = 0; i < shape.size(); ++i) {
        lua_pushinteger(lua, shape[i]);
        lua_rawseti(lua, -2, static_cast<lua_Integer>(i + 1));
    }
    lua_setfield(lua, -2, "shape");
}

std::vector<double> take(lua_State* lua, int index) {
    index = lua_absindex(lua, index);
    luaL_checktype(lua, index, LUA_TTABLE);
    std::vector<double> values(static_cast<size_t>(luaL_len(lua, index)));
    for (size_t i = 0; i < values.size(); ++i) {
        lua_rawgeti(lua, index, static_cast<lua_Integer>(i + 1));
        values[i] = luaL_checknumber(lua, -1);
        lua_pop(lua, 1);
    }
    return values;
}

void open(lua_State* lua, bool single) {
    const luaL_Reg functions[] = {{"map", map},           {"sum", sum},       {"sum_rows", sum_rows},
                                  {"max_rows", max_rows}, {"matmul", matmul}, {nullptr, nullptr}};
    lua_newtable(lua);
    lua_pushboolean(lua, single);
    luaL_setfuncs(lua, functions, 1);
    lua_setglobal(lua, "array");
}

}  // namespace arrays
