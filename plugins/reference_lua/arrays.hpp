// Plain arrays for a task's own definition: Lua tables {shape = {R, C}, v1, v2, ...} and the library `array` over them.
// The same definition runs in single precision (form eager: every stored value and every partial sum is rounded to
// float; of a task with f64 tensors not) and in double precision (form float64).
#pragma once
#include <cstdint>
#include <lua.hpp>
#include <vector>

namespace arrays {

using Shape = std::vector<int64_t>;

// Makes the global table `array`: map(f, a, ...), sum(a), sum_rows(a), max_rows(a), matmul(a, b).
void open(lua_State*, bool single);

void push(lua_State*, const std::vector<double>& values, const Shape& shape);
std::vector<double> take(lua_State*, int index);  // raises a Lua error if the value is not an array of numbers

}  // namespace arrays
