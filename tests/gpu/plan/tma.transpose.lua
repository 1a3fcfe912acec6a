local grid = { ceil_div(C, 32), ceil_div(R, 32) }
if C % 4 ~= 0 then return { { kernel = "plain", grid = grid, block = 256 } } end
return {
    { kernel = "tiles", grid = grid, block = 256, args = { tensor_map { tensor = "a", shape = { C, R }, box = { 32, 32 } }, "o", R, C } },
}
