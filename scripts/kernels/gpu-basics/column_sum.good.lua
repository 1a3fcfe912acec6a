local rows = 128
local parts = ceil_div(R, rows)
return {
    workspaces = { partial = 4 * parts * C },
    { kernel = "part", grid = { ceil_div(C, 128), parts, 1 }, block = { 32, 8, 1 }, args = { "a", "partial", R, C, rows } },
    { kernel = "whole", grid = { ceil_div(C, 32), 1, 1 }, block = { 32, 8, 1 }, args = { "partial", "o", C, parts } },
}
