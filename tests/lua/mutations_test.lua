-- tests/strength/mutations.lua: each change differs from the original in code only, never in comments or directives, and the kinds that the
-- verifier's strength is measured with are all there.
package.path = package.path .. ";" .. package.path:gsub("scripts/%?%.lua$", "tests/strength/?.lua")
local mutations = require "mutations"

local code = [[
#include <cmath>
// a + b < c
extern "C" void k(const float* a, const float* b, float* o, long R, long C) {
#pragma omp parallel for
    for (long r = 0; r < R; r++) {
        float most = -1e30f, sum = 0;
        for (long c = 0; c < C; c++) most = std::fmax(most, a[r * C + c]);
        for (long c = 0; c < C; c++) sum += b[c] * 0.5f;
        o[r] = std::sqrt(sum) + most;
    }
}
]]

local kinds, made = {}, {}
for _, change in ipairs(mutations.of(code)) do
    kinds[change.kind] = true
    made[change.before .. " -> " .. change.after] = true
    assert(change.code ~= code, change.before)
    for _, line in ipairs { "#include <cmath>", "// a + b < c", "#pragma omp parallel for" } do
        assert(change.code:find(line, 1, true), line .. " was changed")
    end
end
for _, kind in ipairs { "operator", "constant", "name", "function", "statement", "half", "bound" } do assert(kinds[kind], "no " .. kind) end

local row, top, add, last = "    for (long r = 0; r < R; r++) {",
    "        for (long c = 0; c < C; c++) most = std::fmax(most, a[r * C + c]);",
    "        for (long c = 0; c < C; c++) sum += b[c] * 0.5f;", "        o[r] = std::sqrt(sum) + most;"
for _, change in ipairs {
    { row, "    for (long r = 0; r <= R; r++) {" }, { row, "    for (long r = 0; r < R - 1; r++) {" },
    { row, "    for (long r = 1; r < R; r++) {" },
    { row, "    for (long r = 0; r < C; r++) {" }, { top, (top:gsub("fmax", "fmin")) }, { top, (top:gsub("a%[", "b[")) },
    { add, "        for (long c = 0; c < C; c++) ;" }, { add, (add:gsub("0%.5f", "0.505f")) },
    { last, "        o[r] = (sum) + most;" }, { last, "        o[r] = (float)(_Float16)( std::sqrt(sum) + most);" },
} do
    assert(made[change[1] .. " -> " .. change[2]], "not made: " .. change[2])
end
