local grid = ceil_div(N, 256)
return {
    workspaces = { scaled = 4 * N },
    { kernel = "scale", grid = grid, block = 256, args = { "a", "scaled", N } },
    { kernel = "add", grid = grid, block = 256, dependent = true, args = { "scaled", "b", "o", N } },
}
